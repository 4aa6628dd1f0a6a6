/** What a person writes in place of the input of a call that waits. Calls of two conversations may have one id. */
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
