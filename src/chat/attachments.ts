import type { LocalState } from './context.ts'
import type { FilePart } from '../index.ts'

const KEY = 'attached'
/** Of all that is attached to one message. Bytes. */
const MOST = 20_000_000

/** What is attached to the message that is being written. */
export function attachedTo(local: LocalState): readonly FilePart[] {
  return local.get<readonly FilePart[]>(KEY) ?? []
}

export function setAttached(local: LocalState, files: readonly FilePart[]): void {
  local.set(KEY, files.length > 0 ? files : undefined)
}

/** Reads files, and attaches them in their order. Rejects with a `RangeError` when they are more than a message takes: 20 MB. */
export async function attach(local: LocalState, files: readonly File[]): Promise<void> {
  const sizes = [...attachedTo(local).map(sizeOf), ...files.map(({ size }) => size)]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total > MOST) throw new RangeError(`${total} > ${MOST} bytes`)
  const parts = await Promise.all(files.map(partOf))
  setAttached(local, [...attachedTo(local), ...parts])
}

/** Base64 has four characters for three bytes. */
function sizeOf({ data }: FilePart): number {
  return (data.length * 3) / 4
}

async function partOf(file: File): Promise<FilePart> {
  return {
    type: 'file',
    mediaType: file.type || 'application/octet-stream',
    data: await base64Of(file),
    filename: file.name,
  }
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const address = String(reader.result)
      resolve(address.slice(address.indexOf(',') + 1))
    })
    reader.addEventListener('error', () => reject(reader.error ?? new Error(file.name)))
    reader.readAsDataURL(file)
  })
}
