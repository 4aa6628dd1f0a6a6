import type { ShownMessage } from '../../index.ts'

/** The person's last message, and what came after it. */
export function turnOf(messages: readonly ShownMessage[]): readonly ShownMessage[] {
  return messages.slice(
    Math.max(
      0,
      messages.findLastIndex(({ role }) => role === 'user'),
    ),
  )
}
