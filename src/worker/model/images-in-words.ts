import type { FilePart, Message, ToolOutput } from '../../protocol/message.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import { fileInWords } from '../../providers/sent-files.ts'

/** The messages with words in place of images, for a model that is known to take none. */
export function imagesInWords(messages: Message[], model: string): Message[] {
  if (modelFacts(model).vision !== false) return messages
  return messages.map((message): Message => {
    switch (message.role) {
      case 'user':
        return { ...message, parts: inWords(message.parts) }
      case 'assistant':
        return { ...message, parts: inWords(message.parts) }
      case 'tool':
        return {
          ...message,
          parts: message.parts.map((part) => ({ ...part, output: outputInWords(part.output) })),
        }
      case 'system':
        return message
      default:
        return message satisfies never
    }
  })
}

function outputInWords(output: ToolOutput): ToolOutput {
  return output.type === 'content' ? { ...output, value: inWords(output.value) } : output
}

function inWords<Part extends { readonly type: string }>(
  parts: readonly (Part | FilePart)[],
): (Part | FilePart | { readonly type: 'text'; readonly text: string })[] {
  return parts.map((part) =>
    isImage(part) ? { type: 'text' as const, text: fileInWords(part) } : part,
  )
}

function isImage(part: { readonly type: string } | FilePart): part is FilePart {
  return part.type === 'file' && 'mediaType' in part && part.mediaType.startsWith('image/')
}
