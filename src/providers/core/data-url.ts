import type { FilePart } from '../../protocol/message.ts'

/** Media types accepted from a model: nothing that a page would run or show as a page. */
const ACCEPTED_TYPES = /^(?:image\/|audio\/|video\/|application\/pdf$)/

/** Returns the file of a base64 `data:` URL; null for other encodings and other media types. */
export function fileOfDataURL(url: string): FilePart | null {
  const [head = '', mediaType = ''] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]*)*;base64,/i.exec(url.slice(0, 300)) ?? []
  const data = url.slice(head.length)
  const isFile = ACCEPTED_TYPES.test(mediaType.toLowerCase()) && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  return isFile ? { type: 'file', mediaType: mediaType.toLowerCase(), data } : null
}
