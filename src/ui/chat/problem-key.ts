/** Key for problems with answering a call; obsolete once it has been answered. */
export function answerKey({ toolCallId }: { readonly toolCallId: string }): string {
  return `answer:${toolCallId}`
}

/** Local state key of an error message, by the control that failed. */
export function problemKey(key: string): string {
  return `problem:${key}`
}
