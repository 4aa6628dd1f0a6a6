import type { CallError } from '../../protocol/message.ts'

/** Error of a call that was cut off: the stream failed or ended before the call's own end. */
export function unfinished(): { readonly error: CallError } {
  return truncated('The stream ended before this call was complete.')
}

export function truncated(what: string): { readonly error: CallError } {
  return { error: { code: 'truncated', message: what } }
}
