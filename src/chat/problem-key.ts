/** Of an answer to a call: it is of no interest once the call has been answered. */
export function answerKey({ toolCallId }: { readonly toolCallId: string }): string {
  return `answer:${toolCallId}`
}

/** Where the words of a failure are kept for what was pressed. */
export function problemKey(key: string): string {
  return `problem:${key}`
}
