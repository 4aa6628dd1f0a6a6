import type { FilePart, TextPart } from '../../protocol/message.ts'
import { badInput } from '../api/failures.ts'

type Part = TextPart | FilePart

const SHAPES =
  "{ type: 'text', text: '…' } or { type: 'file', mediaType: 'image/png', data: '<base64>' }"

/** Returns the input as parts that can be stored. Throws `invalid-input`, naming the invalid part. */
export function checkMessageParts(input: unknown): Part[] {
  const parts = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  if (Array.isArray(parts) && parts.length) return parts.map(checkPart)
  throw badInput(`The input must be a text or an array of ${SHAPES}.`)
}

/** Keeps only the known fields: others may hold values that can't be stored. */
function checkPart(part: unknown, index: number): Part {
  const { type, text, mediaType, data, filename } = (part ?? {}) as Record<string, unknown>
  if (type === 'text' && typeof text === 'string') return { type, text }
  const base64 = String(data).replace(/^data:[^,]*;base64,/i, '')
  if (
    type === 'file' &&
    typeof mediaType === 'string' &&
    typeof data === 'string' &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(base64) &&
    (filename === undefined || typeof filename === 'string')
  )
    return { type, mediaType, data: base64, ...(filename !== undefined && { filename }) }
  throw badInput(
    `Part ${index} of the input must be ${SHAPES}. For base64, read a Blob with FileReader.readAsDataURL().`,
  )
}

/** Throws `invalid-input` unless the id is a non-empty string. */
export function checkId(id: unknown): void {
  if (typeof id !== 'string' || !id) throw badInput('A conversationId must be a string, not empty.')
}

/** Throws `invalid-input` unless the text is a string. */
export function checkText(text: unknown, label: string): void {
  if (typeof text !== 'string') throw badInput(`${label} must be a string.`)
}
