import { isRecord } from '../../lib/is-record.ts'
import { parseJson } from '../../providers/core/read-json.ts'

/** Media types without text that a model could repeat as it was written. */
const NO_TEXT = /^(?:image|audio|video|font)\/|pdf|zip|openxml|wasm/

/**
 * The texts of a message, an output or a list of them: of files the content, of data and of JSON in a text all that is
 * text, and the whole.
 */
export function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') {
    yield value
    if (/^\s*[{[]/.test(value)) yield* textsIn(parseJson(value))
  } else if (Array.isArray(value)) for (const each of value) yield* textsIn(each)
  else if (isRecord(value)) {
    const { type, data, ...rest } = value
    const isFile = type === 'file' && typeof data === 'string'
    if (isFile) yield decoded(data, String(value['mediaType']))
    // A result may be a call itself.
    if (type === 'json') yield JSON.stringify(value)
    yield* textsIn(Object.values(isFile ? rest : value))
  }
}

function decoded(base64: string, mediaType: string): string {
  if (NO_TEXT.test(mediaType)) return ''
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)))
  } catch {
    return ''
  }
}
