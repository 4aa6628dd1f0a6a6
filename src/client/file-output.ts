import type { FilePart, TextPart, ToolOutput } from '../protocol/message.ts'
import { isRecord } from '../lib/shape.ts'
import { contentOf, isEncodedFile, isFileLike, isResourceFile } from './file-like.ts'
import { errorOutput, truncate } from './format-output.ts'
import { stringify, tagOf } from './stringify.ts'

const MAX_FILE_BYTES = 20_000_000
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * A result with files as texts and files, in the order of its items. Files within an object follow its JSON, which has
 * their numbers. MCP's `isError` makes it an error with its texts. Rejects when a file can't be read.
 */
export async function contentOutput(value: unknown): Promise<ToolOutput> {
  const parts: (TextPart | FilePart)[] = []
  for (const item of itemsOf(value)) {
    if (isTextPart(item)) parts.push({ type: 'text', text: truncate(item.text) })
    else if (isFileLike(item)) parts.push(await filePart(item))
    else if (typeof item === 'string') parts.push({ type: 'text', text: truncate(item) })
    else {
      const files: unknown[] = []
      const text = stringify(item, (raw) => isFileLike(raw) && `[file ${files.push(raw)}]`) ?? ''
      parts.push({ type: 'text', text: truncate(text) })
      for (const file of files) parts.push(await filePart(file))
    }
  }
  if (contentOf(value) && (value as { readonly isError?: unknown }).isError === true)
    return errorOutput(
      'failed',
      parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
    )
  return { type: 'content', value: parts }
}

function itemsOf(value: unknown): readonly unknown[] {
  return contentOf(value) ?? (Array.isArray(value) ? value : [value])
}

function isTextPart(item: unknown): item is { readonly text: string } {
  return isRecord(item) && item.type === 'text' && typeof item.text === 'string'
}

async function filePart(file: unknown): Promise<TextPart | FilePart> {
  const encoded = encodedFile(file)
  if (encoded) return partOf(encoded, base64Bytes(encoded))
  const blob = await toBlob(file)
  const { name } = blob as Partial<File>
  const about = { mediaType: blob.type, ...(name && { filename: name }) }
  // What is too large isn't read.
  if (blob.size > MAX_FILE_BYTES) return tooLarge(about, blob.size)
  const bytes = new Uint8Array(await blob.arrayBuffer())
  return { ...about, type: 'file', mediaType: blob.type || typeOf(bytes), data: toBase64(bytes) }
}

interface Encoded {
  readonly mediaType: string
  readonly data: string
  readonly filename?: string
}

/** A file that is base64 already. */
function encodedFile(file: unknown): Encoded | undefined {
  if (typeof file === 'string') {
    const [head = '', data = ''] = file.split(',')
    return { mediaType: head.slice('data:'.length).split(';')[0] ?? '', data }
  }
  if (isResourceFile(file)) {
    const { mimeType = UNKNOWN_TYPE, blob } = file.resource
    return { mediaType: mimeType, data: blob }
  }
  if (!isEncodedFile(file)) return undefined
  const {
    mimeType = UNKNOWN_TYPE,
    media_type = mimeType,
    mediaType = media_type,
    data,
    filename,
  } = file
  return { mediaType, data, ...(filename && { filename }) }
}

function partOf(encoded: Encoded, size: number): TextPart | FilePart {
  return size > MAX_FILE_BYTES ? tooLarge(encoded, size) : { type: 'file', ...encoded }
}

/** How many bytes it stands for. Throws when it is no base64. */
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

/** The type of bytes that came without one, by their first ones. */
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
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}
