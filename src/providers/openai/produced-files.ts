import type { StreamPart } from '../../protocol/message.ts'
import { fileOfDataURL } from '../core/data-url.ts'
import { asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'

const LEFT_OUT: StreamPart = {
  type: 'warning',
  code: 'file-left-out',
  message: 'A file of the model was left out: it is a URL, or its type is not supported.',
}

/** Collects the files of one answer, each once. */
export interface ProducedFiles {
  /** Returns the files in a delta or message, from OpenRouter's `images`. */
  read(delta: JsonRecord): StreamPart[]
  /** Returns the file in a content part; null if it holds none. */
  readPart(part: JsonRecord): StreamPart[] | null
}

/**
 * Reads `{ type: 'image_url', image_url: { url: 'data:…' } }`, from `images`
 * (https://openrouter.ai/docs/features/multimodal/image-generation) or from content parts. Addresses are not fetched:
 * a server would learn who looks, and might name a place that only the page reaches.
 */
export function createProducedFiles(): ProducedFiles {
  const known = new Set<string>()
  let hasWarned = false

  function readPart(part: JsonRecord): StreamPart[] | null {
    const place = part['image_url']
    const url = asText(place) ?? asText(asRecord(place)?.['url'])
    if (url === undefined) return null
    if (known.has(url)) return []
    const file = fileOfDataURL(url)
    if (file) known.add(url)
    else if (hasWarned) return []
    else hasWarned = true
    return [file ? { type: 'file', file } : LEFT_OUT]
  }

  return {
    read: ({ images }) => asList(images).flatMap((image) => readPart(asRecord(image) ?? {}) ?? []),
    readPart,
  }
}
