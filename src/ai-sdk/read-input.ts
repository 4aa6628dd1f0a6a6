import type { FilePart, RunInput, TextPart } from '../index.ts'
import { OffstageError } from '../protocol/error.ts'
import type { UIMessageLike } from './ui-message.ts'

/** Converts a user's message to the input of a run. */
export function readInput({ parts }: UIMessageLike): RunInput {
  return parts.flatMap((part): (TextPart | FilePart)[] => {
    if (part.type === 'text' && 'text' in part) return [{ type: 'text', text: String(part.text) }]
    return part.type === 'file' ? [readFile(part)] : []
  })
}

function readFile(part: object): FilePart {
  const { url, mediaType, filename } = part as { [name: string]: unknown }
  const [, type, data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(String(url)) ?? []
  if (data === undefined)
    throw new OffstageError(
      'invalid-input',
      'A file must be a data: URL in base64, as useChat makes them.',
    )
  return {
    type: 'file',
    mediaType: typeof mediaType === 'string' && mediaType.includes('/') ? mediaType : (type ?? ''),
    data,
    ...(typeof filename === 'string' && { filename }),
  }
}
