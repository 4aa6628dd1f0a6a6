import type { FilePart, TextPart, ToolOutput } from '../../protocol/message.ts'
import { isRecord } from '../../lib/shape.ts'
import {
  errorOutput,
  isEncodedFile,
  isFileLike,
  stringify,
  tagOf,
  truncate,
} from './format-output.ts'

const MAX_FILE_BYTES = 20_000_000
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Converts a result with files to text and file parts, in the order of its items. Undefined if the result has neither
 * files nor MCP-style content. Files inside an object follow the object's JSON, which refers to them by number. MCP's
 * `isError` turns the texts into an error. Rejects if a file can't be read.
 */
export async function contentOutput(value: unknown): Promise<ToolOutput | undefined> {
  const content = contentOf(value)
  const parts: (TextPart | FilePart)[] = []
  let hasFiles = content !== undefined
  for (const item of content ?? (Array.isArray(value) ? value : [value])) {
    const files: unknown[] = []
    const text = textOf(item, files)
    if (text !== undefined) parts.push({ type: 'text', text: truncate(text) })
    for (const file of files) parts.push(await filePart(file))
    hasFiles ||= files.length > 0
  }
  if (!hasFiles) return undefined
  return (value as { readonly isError?: unknown }).isError === true && content
    ? errorOutput('failed', parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
    : { type: 'content', value: parts }
}

/** Returns the content list of a result from MCP (`{ content }`) or the AI SDK (`{ type: 'content', value }`). */
function contentOf(value: unknown): readonly unknown[] | undefined {
  if (!isRecord(value)) return undefined
  const { type, content = type === 'content' ? value.value : undefined, ...otherFields } = value
  const isContentOnly = Object.keys(otherFields).every((key) => /^(value|isError|_meta)$/.test(key))
  return isContentOnly && Array.isArray(content) && content.every(isPart) ? content : undefined
}

function isPart(item: unknown): boolean {
  return isRecord(item) && typeof item.type === 'string'
}

/** Returns the item as text, and adds its files to `files` in order. Undefined if the item itself is a file. */
function textOf(item: unknown, files: unknown[]): string | undefined {
  const file = isRecord(item) && item.type === 'resource' ? item.resource : item
  if (isFileLike(file)) return void files.push(file)
  if (typeof item === 'string') return item
  if (isTextPart(item)) return item.text
  return stringify(item, (raw) => isFileLike(raw) && `[file ${files.push(raw)}]`) ?? ''
}

function isTextPart(item: unknown): item is { readonly text: string } {
  return isRecord(item) && item.type === 'text' && typeof item.text === 'string'
}

async function filePart(file: unknown): Promise<TextPart | FilePart> {
  const encoded = encodedFile(file)
  if (encoded) return partOf(encoded, base64Bytes(encoded))
  const blob = await toBlob(file)
  const { name } = blob as Partial<File>
  const metadata = { mediaType: blob.type, ...(name && { filename: name }) }
  // Checks the size before reading, so that files that are too large aren't loaded.
  if (blob.size > MAX_FILE_BYTES) return tooLarge(metadata, blob.size)
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return { ...metadata, type: 'file', mediaType: blob.type || typeOf(bytes), data: toBase64(bytes) }
}

interface Encoded {
  readonly mediaType: string
  readonly data: string
  readonly filename?: string
}

/** Reads the type and data of a file that is already base64. */
function encodedFile(file: unknown): Encoded | undefined {
  if (typeof file === 'string') {
    const [head = '', data = ''] = file.split(',')
    return { mediaType: head.slice('data:'.length).split(';')[0] ?? '', data }
  }
  if (!isEncodedFile(file)) return undefined
  const { data = '', blob = data, filename, mimeType, media_type = mimeType } = file
  const { mediaType = media_type ?? UNKNOWN_TYPE } = file
  return { mediaType, data: blob, ...(filename && { filename }) }
}

function partOf(encoded: Encoded, size: number): TextPart | FilePart {
  return size > MAX_FILE_BYTES ? tooLarge(encoded, size) : { type: 'file', ...encoded }
}

/** Size of the decoded data. Throws if it isn't base64. */
function base64Bytes({ mediaType, data }: Encoded): number {
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return Math.floor((data.length * 3) / 4)
  throw new Error(`the data of a file of type ${mediaType} is not base64`)
}

function tooLarge({ filename = 'file', mediaType }: Omit<Encoded, 'data'>, size: number): TextPart {
  return { type: 'text', text: `[${filename}, ${mediaType}: ${size} bytes, too large to attach]` }
}

async function toBlob(value: unknown): Promise<Blob> {
  switch (tagOf(value)) {
    case 'HTMLCanvasElement':
      return new Promise((resolve, reject) =>
        (value as HTMLCanvasElement).toBlob((blob) =>
          blob ? resolve(blob) : reject(new Error('the canvas is empty')),
        ),
      )
    case 'OffscreenCanvas':
      return (value as OffscreenCanvas).convertToBlob()
    case 'ImageBitmap': {
      const bitmap = value as ImageBitmap
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
      canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
      return canvas.convertToBlob()
    }
    case 'Blob':
    case 'File':
      return value as Blob
    default:
      return new Blob([value as BlobPart])
  }
}

/** Detects a missing type from the first bytes. */
function typeOf(bytes: Uint8Array): string {
  const first = String.fromCharCode(...bytes.subarray(0, 12))
  if (first.startsWith('\x89PNG')) return 'image/png'
  if (first.startsWith('\xFF\xD8\xFF')) return 'image/jpeg'
  if (first.startsWith('GIF8')) return 'image/gif'
  if (/^RIFF[^]{4}WEBP/.test(first)) return 'image/webp'
  return first.startsWith('%PDF-') ? 'application/pdf' : UNKNOWN_TYPE
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let offset = 0; offset < bytes.length; offset += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(offset, offset + 0x8000))
  return btoa(binary)
}
