import { isRecord } from '../../lib/is-record.ts'
import { parseJson } from '../../providers/core/read-json.ts'

/** Media types without text that a model could repeat verbatim. */
const NO_TEXT = /^(?:image|audio|video|font)\/|pdf|zip|openxml|wasm/

/**
 * Yields every text in a message, an output or a list of them. Files yield their content. JSON, also inside a text,
 * yields itself as a whole and each string in it.
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
    // The result as a whole may look like a call.
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
