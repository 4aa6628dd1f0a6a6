import type { ShownMessage } from '../index.ts'

/** What a message of the person's is being edited to. */
export function editKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `edit:${id}`
}

/** It is on its way. */
export function editSendingKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `edit-sending:${id}`
}
