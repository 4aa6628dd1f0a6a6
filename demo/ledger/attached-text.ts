import type { FilePart } from 'offstage'

export interface AttachedText {
  readonly name: string
  readonly text: string
}

/** Returns the newest attached file of that name, or of any. Throws an `Error` if there is none. */
export function attachedText(files: readonly FilePart[], filename?: string): AttachedText {
  const file = files.findLast(
    (each) => filename === undefined || each.filename?.toLowerCase() === filename.toLowerCase(),
  )
  if (!file) {
    const names = files.map((each) => each.filename ?? each.mediaType).join(', ')
    throw new Error(
      names === ''
        ? 'No file is attached. Ask the user to attach a CSV file.'
        : `No attached file is named ${filename}. There are: ${names}.`,
    )
  }
  const bytes = Uint8Array.from(atob(file.data), (byte) => byte.charCodeAt(0))
  return { name: file.filename ?? file.mediaType, text: new TextDecoder().decode(bytes) }
}
