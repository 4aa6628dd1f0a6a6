import { isRecord } from '../lib/shape.ts'
import { tagOf } from './stringify.ts'

const FILES =
  /^(Blob|File|ImageBitmap|HTMLCanvasElement|OffscreenCanvas|ArrayBuffer|SharedArrayBuffer|DataView|Uint8Array|Uint8ClampedArray)$/
const DATA_URL = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w.+=-]+)*;base64,/

const ENCODED = /^(image|audio|file|media|file-data|image-data|base64)$/

/**
 * A file as base64: a part of the content of MCP (`mimeType`), Anthropic (`media_type`), the AI SDK and Offstage
 * (`mediaType`).
 */
export interface EncodedFile {
  readonly data: string
  readonly mimeType?: string
  readonly media_type?: string
  readonly mediaType?: string
  readonly filename?: string
}

/** Whether a value is a file for a model: of the platform, bytes, a base64 data URL, or a part of content. */
export function isFileLike(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('data:') && DATA_URL.test(value)
  return FILES.test(tagOf(value)) || isEncodedFile(value) || isResourceFile(value)
}

export function isEncodedFile(value: unknown): value is EncodedFile {
  return (
    isRecord(value) &&
    typeof value.type === 'string' &&
    ENCODED.test(value.type) &&
    typeof value.data === 'string' &&
    typeof (value.mediaType ?? value.mimeType ?? value.media_type) === 'string'
  )
}

/** MCP's embedded resource that is no text. */
export function isResourceFile(
  value: unknown,
): value is { readonly resource: { readonly blob: string; readonly mimeType?: string } } {
  return (
    isRecord(value) &&
    value.type === 'resource' &&
    isRecord(value.resource) &&
    typeof value.resource.blob === 'string'
  )
}

/** The list in a result as MCP (`{ content }`) and the AI SDK (`{ type: 'content', value }`) have it. */
export function contentOf(value: unknown): readonly unknown[] | undefined {
  if (!isRecord(value)) return undefined
  const { type, content = type === 'content' ? value.value : undefined, ...others } = value
  const isWhole = Object.keys(others).every((key) => /^(value|isError|_meta)$/.test(key))
  return isWhole && Array.isArray(content) && content.every(isPart) ? content : undefined
}

function isPart(item: unknown): boolean {
  return isRecord(item) && typeof item.type === 'string'
}
