import type { Consent, ConversationState } from '../protocol/state.ts'
import type { ShownConsent } from './snapshot.ts'

const shown = new WeakMap<readonly Consent[], readonly ShownConsent[]>()

/** What a person has consented to, oldest first; the same list for the same. */
export function shownConsents({ consents }: ConversationState): readonly ShownConsent[] {
  const known = shown.get(consents)
  if (known) return known
  const list = consents.map(({ consentId, at, scope }): ShownConsent => {
    const { toolName, title, within, key } = scope
    return {
      consentId,
      toolName,
      ...(title !== undefined && { title }),
      within,
      ...(key !== undefined && { key }),
      at,
    }
  })
  shown.set(consents, list)
  return list
}
