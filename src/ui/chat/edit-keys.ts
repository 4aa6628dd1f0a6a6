import type { ShownMessage } from '../../index.ts'

/** Local state key of the text to which a person's message is being edited. */
export function editKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `${PREFIX}${id}`
}

const PREFIX = 'edit:'

/** Returns the id of the message with this edit key; null for another key. */
export function editedId(key: string): string | null {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : null
}

/** Local state key of an edit that is being sent. */
export function editSendingKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `edit-sending:${id}`
}
