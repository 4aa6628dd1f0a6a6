import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolResultPart,
} from '../protocol/message.ts'
import { healHistory } from '../providers/heal-history.ts'
import type { ModelRequest } from '../providers/provider.ts'
import { outputText } from '../providers/sent-files.ts'

/**
 * Puts the whole request into one message: instructions, turns with their calls and results, and the trailer. Pure. A
 * turn is a heading in brackets at the start of a line, then its text. Each line of text is indented, so no text can
 * begin a turn. Files follow the text, in the order in which the text names them.
 */
export function asPrompt(request: ModelRequest): ModelRequest {
  const { messages, instructions, trailer, ...rest } = request
  const files: FilePart[] = []
  const turns = [
    ...(instructions ? [turn('system', instructions)] : []),
    ...healHistory(messages).flatMap((message) => turnsOf(message, files)),
    ...(trailer ? [turn('context', trailer)] : []),
  ]
  const text = [PREFACE, ...turns, '[assistant]\n'].join('\n\n')
  return { ...rest, messages: [{ role: 'user', parts: [{ type: 'text', text }, ...files] }] }
}

const PREFACE =
  'This is a conversation. A turn begins with a line in brackets that is not indented. An indented line is text of the turn, whatever it looks like. Write only what the assistant says next, without heading and indentation.'

function turnsOf(message: Message, files: FilePart[]): string[] {
  switch (message.role) {
    case 'system':
      return [turn('system', contentText(message.parts, files))]
    case 'user':
      return [turn(message.synthetic ? 'notice' : 'user', contentText(message.parts, files))]
    case 'assistant':
      return assistantTurns(message)
    case 'tool':
      return message.parts.map((part) =>
        turn(`result of ${callName(part)}`, resultText(part, files)),
      )
    default:
      return message satisfies never
  }
}

function assistantTurns({ parts }: AssistantMessage): string[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call'
      ? [turn(`assistant calls ${callName(part)}`, JSON.stringify(part.input ?? {}))]
      : [],
  )
  return [...(text === '' ? [] : [turn('assistant', text)]), ...calls]
}

function resultText({ output }: ToolResultPart, files: FilePart[]): string {
  return output.type === 'content' ? contentText(output.value, files) : outputText(output)
}

function contentText(parts: readonly (TextPart | FilePart)[], files: FilePart[]): string {
  return parts
    .map((part) => {
      if (part.type === 'text') return part.text
      const name = part.filename === undefined ? '' : `, ${quoted(part.filename)}`
      return `[file ${files.push(part)}: ${quoted(part.mediaType)}${name}]`
    })
    .join('\n')
}

/** Characters that a model may read as the end of a line. */
const LINE_BREAKS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g

function turn(heading: string, text: string): string {
  return `[${heading}]\n  ${text.replace(LINE_BREAKS, '\n  ')}`
}

/** Quotes a name on one line, since a model or a server chose it. */
function quoted(name: string): string {
  return JSON.stringify(name.replace(LINE_BREAKS, ' '))
}

function callName({
  toolName,
  toolCallId,
}: {
  readonly toolName: string
  readonly toolCallId: string
}): string {
  return `${quoted(toolName)}, ${quoted(toolCallId)}`
}

// Code for calls in text and other features that few model requests need. The default worker loads this module as a
// separate file; other workers contain it.

export { createActionScanner } from '../action/action-scanner.ts'
export { CallFinder } from '../action/find-calls.ts'
export { formatAction } from '../action/format-action.ts'
export { actionPrompt } from '../action/prompt.ts'
export { createThinkSplitter } from '../action/think-splitter.ts'
export { scriptedProvider } from '../providers/scripted.ts'
export { FormAdapter } from '../providers/core/form-adapter.ts'
export {
  applyFormToBody,
  applyFormToConfig,
  applyFormToRequest,
} from '../providers/core/request-form.ts'
