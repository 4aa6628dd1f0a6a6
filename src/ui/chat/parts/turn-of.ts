import type { ShownMessage } from '../../../index.ts'

/** Returns the person's last message and everything after it. */
export function turnOf(messages: readonly ShownMessage[]): readonly ShownMessage[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'user'),
    ),
  )
}
