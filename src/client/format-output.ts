import { describeThrown } from '../protocol/error.ts'
import type { CallErrorCode, FilePart, TextPart, ToolOutput } from '../protocol/message.ts'
import type { JsonValue } from '../protocol/json.ts'
import { stringify, tagOf } from './stringify.ts'

const MAX_CHARACTERS = 100_000
const MAX_FILE_BYTES = 20_000_000

export function errorOutput(code: CallErrorCode, message: string): ToolOutput {
  return { type: 'error', code, message: truncate(message) }
}

/** What a tool returned, as the model gets it. Never rejects; what can't be sent becomes an error output. */
export async function formatOutput(value: unknown): Promise<ToolOutput> {
  try {
    if (value === undefined) return { type: 'text', value: 'Done. The tool returned nothing.' }
    if (typeof value === 'string') return { type: 'text', value: truncate(value) }
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (items.some(isFileLike))
      return { type: 'content', value: await Promise.all(items.map(toContent)) }
    const json = stringify(value)
    if (json === undefined)
      return errorOutput(
        'failed',
        `The tool returned a ${typeof value}, which can't be sent to a model. Return plain data.`,
      )
    return json.length > MAX_CHARACTERS
      ? { type: 'text', value: truncate(json) }
      : { type: 'json', value: JSON.parse(json) as JsonValue }
  } catch (thrown) {
    return errorOutput('failed', `The tool's result can't be sent: ${describeThrown(thrown)}`)
  }
}

/** Says in the text that and how much is missing. */
export function truncate(text: string): string {
  return text.length > MAX_CHARACTERS
    ? `${text.slice(0, MAX_CHARACTERS)}\n[truncated: these are the first ${MAX_CHARACTERS} of ${text.length} characters]`
    : text
}

function isFileLike(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    /^(Blob|File|ImageBitmap|HTMLCanvasElement|OffscreenCanvas)$/.test(tagOf(value))
  )
}

async function toContent(value: unknown): Promise<TextPart | FilePart> {
  if (!isFileLike(value))
    return {
      type: 'text',
      text: truncate(typeof value === 'string' ? value : (stringify(value) ?? '')),
    }
  const blob = await toBlob(value)
  const { size, type } = blob
  const { name } = blob as Partial<File>
  if (size > MAX_FILE_BYTES)
    return {
      type: 'text',
      text: `[${name ?? 'file'}, ${type}: ${size} bytes, too large to attach]`,
    }
  return {
    type: 'file',
    mediaType: type || 'application/octet-stream',
    data: toBase64(new Uint8Array(await blob.arrayBuffer())),
    ...(name && { filename: name }),
  }
}

async function toBlob(value: unknown): Promise<Blob> {
  if (tagOf(value) === 'HTMLCanvasElement')
    return new Promise((resolve, reject) =>
      (value as HTMLCanvasElement).toBlob((blob) =>
        blob ? resolve(blob) : reject(new Error('the canvas is empty')),
      ),
    )
  if (tagOf(value) === 'OffscreenCanvas') return (value as OffscreenCanvas).convertToBlob()
  if (tagOf(value) !== 'ImageBitmap') return value as Blob
  const bitmap = value as ImageBitmap
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0)
  return canvas.convertToBlob()
}

function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}
