import type { ShownMessage } from '../index.ts'

/** What a message of the person's is being edited to. */
export function editKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `${PREFIX}${id}`
}

const PREFIX = 'edit:'

/** The message of such a key; null for another key. */
export function editedId(key: string): string | null {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null
}

/** It is on its way. */
export function editSendingKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `edit-sending:${id}`
}
