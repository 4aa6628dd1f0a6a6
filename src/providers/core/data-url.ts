import type { FilePart } from '../../protocol/message.ts'

/** What a model's file may be: nothing that a page would run or show as a page. */
const TAKEN = /^(?:image\/|audio\/|video\/|application\/pdf$)/

/** The file of a `data:` URL in base64, or null: of no kind that is taken, or no base64. */
export function fileOfDataURL(url: string): FilePart | null {
  const [head = '', mediaType = ''] =
    /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]*)*;base64,/i.exec(url.slice(0, 300)) ?? []
  const data = url.slice(head.length)
  const isFile = TAKEN.test(mediaType.toLowerCase()) && /^[A-Za-z0-9+/]+={0,2}$/.test(data)
  return isFile ? { type: 'file', mediaType: mediaType.toLowerCase(), data } : null
}
