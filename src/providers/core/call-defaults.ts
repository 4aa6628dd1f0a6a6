import type { CallError } from '../../protocol/message.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** A unique id for a call that was sent without a usable id. Every vendor accepts it. */
export function newCallId(): string {
  // Plain-HTTP origins lack randomUUID; getRandomValues exists everywhere.
  const bytes = crypto.getRandomValues(new Uint8Array(20))
  return `call_${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`
}

/** Error of a call that was cut off: the stream failed or ended before the call's own end. */
export function unfinishedCallError(): { readonly error: CallError } {
  return truncatedCallError('The stream ended before this call was complete.')
}

export function truncatedCallError(message: string): { readonly error: CallError } {
  return { error: { code: 'truncated', message } }
}
