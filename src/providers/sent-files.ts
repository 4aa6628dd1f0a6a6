import type {
  AssistantMessage,
  FilePart,
  Message,
  TextPart,
  ToolOutput,
} from '../protocol/message.ts'
import { modelFacts } from './catalogue/model-facts.ts'

const INTRO: TextPart = { type: 'text', text: 'Files from your answer above:' }

/** In the place of a file that a model or its server doesn't take. */
export function fileInWords({ mediaType, filename }: FilePart): string {
  return `[A file that can't be read here: ${filename ?? mediaType}]`
}

/**
 * Files that the model produced, as input: vendors take none in the model's own messages. They stand before what the
 * person says next, or behind the results of the answer's calls.
 */
export function withFilesAsInput(messages: readonly Message[]): readonly Message[] {
  if (!messages.some((message) => message.role === 'assistant' && hasFiles(message)))
    return messages
  const sent: Message[] = []
  let waiting: readonly FilePart[] = []
  const flush = (): void => {
    if (waiting.length > 0) sent.push({ role: 'user', parts: [INTRO, ...waiting] })
    waiting = []
  }
  for (const message of messages) {
    if (message.role === 'user' && waiting.length > 0) {
      sent.push({ ...message, parts: [INTRO, ...waiting, ...message.parts] })
      waiting = []
      continue
    }
    if (message.role !== 'tool') flush()
    if (message.role !== 'assistant' || !hasFiles(message)) {
      sent.push(message)
      continue
    }
    waiting = message.parts.filter((part) => part.type === 'file')
    sent.push({ ...message, parts: withoutFiles(message, waiting) })
  }
  flush()
  return sent
}

/** An answer of files alone is one nevertheless: else two of the person's messages would follow each other. */
function withoutFiles(
  { parts }: AssistantMessage,
  files: readonly FilePart[],
): AssistantMessage['parts'] {
  const rest = parts.filter((part) => part.type !== 'file')
  const speaks = rest.some(
    (part) => part.type === 'tool-call' || (part.type === 'text' && part.text !== ''),
  )
  if (speaks) return rest
  const text = files.map(({ mediaType }) => `[A file: ${mediaType}]`).join('\n')
  return [...rest, { type: 'text', text }]
}

function hasFiles({ parts }: AssistantMessage): boolean {
  return parts.some((part) => part.type === 'file')
}

/** The messages with words in place of images, for a model that is known to take none. */
export function forEyesOf(model: string, messages: readonly Message[]): readonly Message[] {
  if (modelFacts(model).vision !== false) return messages
  return messages.map((message) => {
    switch (message.role) {
      case 'user':
        return { ...message, parts: inWords(message.parts) }
      case 'tool':
        return {
          ...message,
          parts: message.parts.map((part) => ({ ...part, output: outputInWords(part.output) })),
        }
      case 'system':
      case 'assistant':
        return message
      default:
        return message satisfies never
    }
  })
}

function outputInWords(output: ToolOutput): ToolOutput {
  return output.type === 'content' ? { ...output, value: inWords(output.value) } : output
}

function inWords(parts: readonly (TextPart | FilePart)[]): readonly (TextPart | FilePart)[] {
  return parts.map((part) =>
    part.type === 'file' && part.mediaType.startsWith('image/')
      ? { type: 'text', text: fileInWords(part) }
      : part,
  )
}
