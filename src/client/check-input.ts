import type { FilePart, TextPart } from '../protocol/message.ts'
import { badInput } from './failures.ts'
import { tagOf } from './stringify.ts'

type Part = TextPart | FilePart

const TEXT_SHAPE = "{ type: 'text', text: '…' }"
const FILE_SHAPE = "{ type: 'file', mediaType: 'image/png', data: '<base64>' }"

/** The input's parts, as they may be stored. Throws `invalid-input` naming the part that may not. */
export function checkInput(input: unknown): Part[] {
  const parts = typeof input === 'string' ? [{ type: 'text', text: input }] : input
  if (!Array.isArray(parts) || !parts.length)
    throw badInput(`The input must be a text or an array of parts like ${TEXT_SHAPE}.`)
  return parts.map(checkPart)
}

/** Only the known fields: what else a page keeps in a part may be nothing that can be stored. */
function checkPart(part: unknown, index: number): Part {
  const { type, text, mediaType, data, filename } = (part ?? {}) as Record<string, unknown>
  const refuse = (why: string) => badInput(`Part ${index} of the input ${why}`)
  if (type === 'text') {
    if (typeof text === 'string') return { type, text }
    throw refuse(`needs a text that is a string: ${TEXT_SHAPE}.`)
  }
  if (type !== 'file') throw refuse(`must be like ${TEXT_SHAPE} or ${FILE_SHAPE}.`)
  if (typeof mediaType !== 'string' || !mediaType.includes('/'))
    throw refuse(`needs a mediaType: ${FILE_SHAPE}.`)
  if (filename !== undefined && typeof filename !== 'string')
    throw refuse('has a filename that is no string.')
  const base64 = typeof data === 'string' ? data.replace(/^data:[^,]*;base64,/i, '') : ''
  if (!base64 || base64.length % 4 === 1 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw refuse(
      typeof data === 'string'
        ? 'has data that is no base64. Encode it, of a text too: btoa() or FileReader.readAsDataURL().'
        : `has data that is no string but ${tagOf(data)}. Pass base64: read a Blob with FileReader.readAsDataURL(), encode bytes with btoa().`,
    )
  return { type, mediaType, data: base64, ...(filename !== undefined && { filename }) }
}

/** Throws `invalid-input` for what names no conversation. */
export function checkId(id: unknown): void {
  if (typeof id !== 'string' || !id)
    throw badInput('A conversationId must be a string that is not empty.')
}

/** Throws `invalid-input` for words that aren't. */
export function checkText(text: unknown, what: string): void {
  if (typeof text !== 'string') throw badInput(`${what} must be a string, not ${tagOf(text)}.`)
}
