import type { LocalState } from './context.ts'
import type { FilePart } from '../../index.ts'
import { conversationKey } from './local-keys.ts'

/** Limit for all files of one message. Bytes. */
const MOST = 20_000_000

/** Returns the files attached to the draft of a conversation. */
export function getAttachments(local: LocalState, conversationId: string): readonly FilePart[] {
  return local.get<readonly FilePart[]>(conversationKey('attached', conversationId)) ?? []
}

export function setAttachments(
  local: LocalState,
  conversationId: string,
  files: readonly FilePart[],
): void {
  local.set(conversationKey('attached', conversationId), files.length > 0 ? files : undefined)
}

/** Returns the files still being read: a message sent before would lack them. */
export function filesBeingRead(local: LocalState, conversationId: string): readonly File[] {
  return local.get<readonly File[]>(conversationKey('attaching', conversationId)) ?? []
}

/**
 * Reads files, and attaches them in order. Rejects with a `RangeError` if the message's files exceed 20 MB together.
 * Otherwise, rejects with the names of files that can't be read, such as folders.
 */
export async function attach(
  local: LocalState,
  conversationId: string,
  files: readonly File[],
): Promise<void> {
  const reading = [...filesBeingRead(local, conversationId), ...files]
  const sizes = [
    ...getAttachments(local, conversationId).map(sizeOf),
    ...reading.map(({ size }) => size),
  ]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total > MOST) throw new RangeError(`${total} > ${MOST} bytes`)
  local.set(conversationKey('attaching', conversationId), reading)
  try {
    const unread: string[] = []
    const parts = await Promise.all(
      files.map((file) => toFilePart(file).catch(() => (unread.push(file.name), []))),
    )
    setAttachments(local, conversationId, [
      ...getAttachments(local, conversationId),
      ...parts.flat(),
    ])
    if (unread.length > 0) throw new Error(unread.join(', '))
  } finally {
    const remaining = filesBeingRead(local, conversationId).filter((file) => !files.includes(file))
    local.set(conversationKey('attaching', conversationId), remaining)
  }
}

/** Returns bytes: four characters of Base64 hold three. */
function sizeOf({ data }: FilePart): number {
  return (data.length * 3) / 4
}

async function toFilePart(file: File): Promise<FilePart> {
  return {
    type: 'file',
    mediaType: file.type || 'application/octet-stream',
    data: await toBase64(file),
    filename: file.name,
  }
}

function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const address = String(reader.result)
      resolve(address.slice(address.indexOf(',') + 1))
    })
    reader.addEventListener('error', reject)
    reader.readAsDataURL(file)
  })
}
