import type { UserContent } from '../../protocol/fact.ts'
import type { FactDraft } from '../store/fact-draft.ts'

/** That a person's message brings files, whose words are others': committed with the message. */
export function takenFiles(message: UserContent | null): FactDraft[] {
  const file = message?.parts.find(({ type }) => type === 'file')
  if (message === null || file?.type !== 'file') return []
  return [
    { type: 'untrusted-taken-in', after: message.id, origin: file.filename ?? 'an attached file' },
  ]
}

/** That the agent that calls another one has read words of others: its prompt may hold them. */
export function takenPrompt({ id }: UserContent): FactDraft {
  return { type: 'untrusted-taken-in', after: id, origin: 'the agent that asked' }
}
