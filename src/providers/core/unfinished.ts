import type { CallError } from '../../protocol/message.ts'

/** The error of a call whose stream failed or ended before its own end was proven. */
export function unfinished(): { readonly error: CallError } {
  return truncated('The stream ended before this call was complete.')
}

export function truncated(what: string): { readonly error: CallError } {
  return { error: { code: 'truncated', message: what } }
}
