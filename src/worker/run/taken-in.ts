import type { UserContent } from '../../protocol/fact.ts'
import type { FactDraft } from '../store/fact-draft.ts'

/** Marks untrusted content in a message's text or files. Committed with the message. */
export function takenWith(message: UserContent | null): FactDraft[] {
  if (message === null) return []
  const { id, parts, trigger = 'the agent that asked', untrusted } = message
  const file = parts.find((part) => part.type === 'file')
  const origins = [untrusted && trigger, file && (file.filename || 'an attached file')]
  return origins.flatMap((origin) =>
    origin ? { type: 'untrusted-taken-in', after: id, origin } : [],
  )
}
