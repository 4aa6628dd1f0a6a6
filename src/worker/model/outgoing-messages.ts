import { formatAction, formatObservation } from '../../action/index.ts'
import { messageText } from '../../conversation/result.ts'
import { isRecord } from '../../lib/shape.ts'
import { replaceInOutput } from '../../protocol/replace-in.ts'
import { outputFiles } from '../../providers/output-text.ts'
import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from '../../protocol/message.ts'
import { forModel, toModelNames, type NamedTool } from './model-names.ts'

/**
 * Converts messages for a request: tools get the model's names, and notes join the output that they are about. ACTION
 * mode turns calls and results into text.
 */
export function outgoingMessages(
  messages: readonly Message[],
  tools: readonly NamedTool[],
  toolMode: 'native' | 'action',
): Message[] {
  const outgoing: Message[] = []
  for (const message of inModelNames(messages, tools)) {
    switch (message.role) {
      case 'tool':
        if (message.parts.length === 0) break
        outgoing.push(toolMode === 'action' ? observations(message) : withNotes(message))
        break
      case 'assistant':
        outgoing.push(toolMode === 'action' ? asWritten(message, tools) : message)
        break
      case 'user':
      case 'system':
        outgoing.push(message)
        break
      default:
        message satisfies never
    }
  }
  return outgoing
}

function inModelNames(
  messages: readonly Message[],
  tools: readonly NamedTool[],
): readonly Message[] {
  const renamed = tools.filter((tool) => tool.forModel)
  if (renamed.length === 0) return messages
  return messages.map((message) => {
    const parts: readonly object[] = message.parts
    const named = parts.map((part) =>
      'toolName' in part ? toModelNames(part as ToolCallPart, renamed) : part,
    )
    return { ...message, parts: named } as Message
  })
}

/** The message as ACTION text: what the model wrote, or its native calls formatted as ACTION. */
function asWritten(message: AssistantMessage, tools: readonly NamedTool[]): AssistantMessage {
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool-call' && isRecord(part.input)
      ? [{ toolName: part.toolName, input: part.input }]
      : [],
  )
  const text =
    message.actionText ??
    [messageText(message), calls.length > 0 ? formatAction(calls, tools.map(forModel)) : '']
      .filter((piece) => piece !== '')
      .join('\n')
  const files = message.parts.filter((part) => part.type === 'file')
  return { ...message, parts: [{ type: 'text', text }, ...files] }
}

function observations(message: ToolMessage): UserMessage {
  const text = formatObservation(
    message.parts.map((part) => ({ toolName: part.toolName, output: withNote(part) })),
  )
  return {
    role: 'user',
    ...(message.id && { id: message.id }),
    synthetic: true,
    parts: [{ type: 'text', text }, ...message.parts.flatMap(({ output }) => outputFiles(output))],
  }
}

function withNotes(message: ToolMessage): ToolMessage {
  if (message.parts.every((part) => part.note === undefined)) return message
  return {
    ...message,
    parts: message.parts.map((part) => ({ ...part, output: withNote(part) })),
  }
}

/** The output with the note before it. JSON becomes text; other types stay. */
function withNote(part: ToolResultPart): ToolOutput {
  const { output, note } = part
  if (note === undefined) return output
  switch (output.type) {
    case 'json':
      return { type: 'text', value: `${note}\n${JSON.stringify(output.value)}` }
    case 'content':
      return { type: 'content', value: [{ type: 'text', text: note }, ...output.value] }
    case 'denied':
      return { type: 'denied', reason: [note, output.reason].filter(Boolean).join('\n') }
    case 'text':
    case 'error':
      return replaceInOutput(output, (text) => `${note}\n${text}`)
    default:
      return output satisfies never
  }
}
