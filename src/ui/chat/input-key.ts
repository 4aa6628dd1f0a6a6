/** Local state key for a changed input of a waiting call. Calls of two conversations may share an id. */
export function inputKey(call: {
  readonly conversationId: string
  readonly toolCallId: string
}): string {
  return `${PREFIX}${call.conversationId}/${call.toolCallId}`
}

const PREFIX = 'input:'

export function isInputKey(key: string): boolean {
  return key.startsWith(PREFIX)
}
