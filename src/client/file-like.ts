import { isRecord } from '../lib/shape.ts'
import { tagOf } from './stringify.ts'

const PLATFORM =
  /^(Blob|File|ImageBitmap|HTMLCanvasElement|OffscreenCanvas|(Shared)?ArrayBuffer|DataView|Uint8(Clamped)?Array)$/
const DATA_URL = /^data:[\w.+-]+\/[^,]+;base64,/
const ENCODED = /^(image|audio|file|media|file-data|image-data|base64)$/

/**
 * A base64 file: a content part of MCP (`mimeType`), Anthropic (`media_type`), the AI SDK or Offstage (`mediaType`),
 * or an MCP resource (`blob`).
 */
export interface EncodedFile {
  readonly data?: string
  readonly blob?: string
  readonly mimeType?: string
  readonly media_type?: string
  readonly mediaType?: string
  readonly filename?: string
}

/** Whether a value is a file: a platform object such as `Blob`, bytes, a base64 data URL, or base64 with its type. */
export function isFileLike(value: unknown): boolean {
  return typeof value === 'string'
    ? DATA_URL.test(value)
    : PLATFORM.test(tagOf(value)) || isEncodedFile(value)
}

export function isEncodedFile(value: unknown): value is EncodedFile {
  if (!isRecord(value)) return false
  const { type, data, blob, mimeType, media_type = mimeType, mediaType = media_type } = value
  const isFile =
    typeof blob === 'string' || (typeof data === 'string' && ENCODED.test(String(type)))
  return isFile && typeof mediaType === 'string'
}
