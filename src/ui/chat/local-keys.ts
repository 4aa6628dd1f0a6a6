import type { ShownMessage } from '../../index.ts'

/** `gone`: the conversation was deleted while it was on view. */
type ConversationState =
  | 'draft'
  | 'inputs'
  | 'edits'
  | 'sending'
  | 'unsent'
  | 'returned'
  | 'attached'
  | 'attaching'
  | 'gone'

/** Key for a value that belongs to a conversation, in the local state and in the storage. */
export function conversationKey(state: ConversationState, conversationId: string): string {
  return `${state}:${conversationId}`
}

/** Local state key for the new text of a message that a person edits. */
export function editKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `${EDIT}${id}`
}

const EDIT = 'edit:'

/** Returns the id of the message with this edit key; null for another key. */
export function editedId(key: string): string | null {
  return key.startsWith(EDIT) ? key.slice(EDIT.length) : null
}

/** Local state key of an edit that is being sent. */
export function editSendingKey({ id }: Pick<ShownMessage, 'id'>): string {
  return `edit-sending:${id}`
}

/** Local state key for a changed input of a waiting call. Calls of two conversations may share an id. */
export function inputKey(call: {
  readonly conversationId: string
  readonly toolCallId: string
}): string {
  return `${INPUT}${call.conversationId}/${call.toolCallId}`
}

const INPUT = 'input:'

export function isInputKey(key: string): boolean {
  return key.startsWith(INPUT)
}

/** Key for problems with answering a call; obsolete once it has been answered. */
export function answerKey({ toolCallId }: { readonly toolCallId: string }): string {
  return `answer:${toolCallId}`
}

/** Local state key of an error message, by the control that failed. */
export function problemKey(key: string): string {
  return `problem:${key}`
}
