import type { JsonValue } from '../../protocol/json.ts'
import type { FilePart } from '../../protocol/message.ts'

/** The texts of a value and of all in it, in order, its keys included where they are no mere names. */
export function collectTexts(value: JsonValue, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const entry of value) collectTexts(entry, texts)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) {
      if (/[^\w .-]/.test(key)) texts.push(key)
      collectTexts(entry, texts)
    }
  }
}

/** Media types that hold no text a model could repeat as it stands. */
const isNoText =
  /^(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:pdf|zip|gzip|vnd\.openxml|wasm))/

/** What a file says: its name, its type, and its bytes where they are text; models may be shown all of them. */
export function textOfFile({ mediaType, data, filename = '' }: FilePart): string {
  return [filename, mediaType, contentOf(mediaType, data)].filter(Boolean).join('\n')
}

function contentOf(mediaType: string, data: string): string {
  if (isNoText.test(mediaType)) return ''
  try {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0))
    const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
    const isText = text.split('\ufffd').length <= 1 + text.length / 20
    return isText ? text : ''
  } catch {
    return ''
  }
}

function encodingOf([first = 1, second = 1]: Uint8Array): string {
  if (first === 0xfe || first === 0) return 'utf-16be'
  return first === 0xff || second === 0 ? 'utf-16le' : 'utf-8'
}
