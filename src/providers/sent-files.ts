import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolOutput,
} from '../protocol/message.ts'
import { describePart } from '../action/format-observation.ts'

/** A tool's output as the text of a tool message. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value)
    case 'content':
      return output.value.map(describePart).join('\n')
    case 'error':
      return `Error (${output.code}): ${output.message}`
    case 'denied':
      return output.reason ? `Denied by the person: ${output.reason}` : 'Denied by the person.'
    default:
      return output satisfies never
  }
}

/** Files of an output, for vendors that don't accept files in tool messages. */
export function outputFiles(output: ToolOutput): FilePart[] {
  return output.type === 'content' ? output.value.filter((part) => part.type === 'file') : []
}

const INTRO: TextPart = { type: 'text', text: 'Files from your answer above:' }

/** Text in place of a file that a model or its server doesn't accept. */
export function describeFile({ mediaType, filename }: FilePart): string {
  return `[A file was left out: ${[filename, mediaType].filter(Boolean).join(', ')}]`
}

/** Replaces files that won't be sent with text. */
export function replaceFilesWithText(
  messages: readonly Message[],
  isLeftOut: (file: FilePart) => boolean,
): readonly Message[] {
  const replaceFiles = <Part extends { readonly type: string }>(
    parts: readonly (Part | FilePart)[],
  ): (Part | FilePart | TextPart)[] =>
    parts.map((part) =>
      isFile(part) && isLeftOut(part) ? { type: 'text', text: describeFile(part) } : part,
    )
  const replaceInOutput = (output: ToolOutput): ToolOutput =>
    output.type === 'content' ? { ...output, value: replaceFiles(output.value) } : output
  return messages.map((message): Message => {
    switch (message.role) {
      case 'user':
        return { ...message, parts: replaceFiles(message.parts) }
      case 'assistant':
        return { ...message, parts: replaceFiles(message.parts) }
      case 'tool':
        return {
          ...message,
          parts: message.parts.map((part) => ({ ...part, output: replaceInOutput(part.output) })),
        }
      case 'system':
        return message
      default:
        return message satisfies never
    }
  })
}

function isFile(part: { readonly type: string } | FilePart): part is FilePart {
  return part.type === 'file' && 'mediaType' in part
}

/**
 * Moves files that the model produced into user messages, because vendors don't accept them in the model's own
 * messages. The files become the start of the next user message, or follow the results of the answer's calls.
 */
export function withFilesAsInput(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.role === 'assistant' && hasFiles(message)))
    return messages
  const converted: Message[] = []
  let pendingFiles: readonly FilePart[] = []
  const flush = (): void => {
    if (pendingFiles.length > 0) converted.push({ role: 'user', parts: [INTRO, ...pendingFiles] })
    pendingFiles = []
  }
  for (const message of messages) {
    if (message.role === 'user' && pendingFiles.length > 0) {
      converted.push({ ...message, parts: [INTRO, ...pendingFiles, ...message.parts] })
      pendingFiles = []
      continue
    }
    if (message.role !== 'tool') flush()
    if (message.role !== 'assistant' || !hasFiles(message)) {
      converted.push(message)
      continue
    }
    pendingFiles = message.parts.filter((part) => part.type === 'file')
    converted.push({ ...message, parts: withoutFiles(message, pendingFiles) })
  }
  flush()
  return converted
}

/** Removes the files. An answer with nothing but files gets a text: otherwise two user messages would be adjacent. */
function withoutFiles(
  { parts }: AssistantMessage,
  files: readonly FilePart[],
): AssistantMessage['parts'] {
  const otherParts = parts.filter((part) => part.type !== 'file')
  const hasContent = otherParts.some(
    (part) => part.type === 'tool-call' || (part.type === 'text' && part.text !== ''),
  )
  if (hasContent) return otherParts
  const text = files.map(({ mediaType }) => `[A file: ${mediaType}]`).join('\n')
  return [...otherParts, { type: 'text', text }]
}

function hasFiles({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === 'file')
}
