import type { RevokeConsent, SendMessage, WithdrawMessage } from '../../protocol/commands.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { takenWith } from './taken-in.ts'
import type { RunContext, Stop } from './run-context.ts'

/** What a person says to an open run beside answers. */
export type Steering =
  | ({ readonly type: 'send' } & Pick<SendMessage, 'runId' | 'message' | 'when'>)
  | ({ readonly type: 'withdraw' } & Pick<WithdrawMessage, 'runId' | 'messageId'>)
  | ({ readonly type: 'revoke'; readonly runId: string } & Pick<RevokeConsent, 'consentId'>)

/** Commits it; false when the run has ended, the message is queued no more, or the consent not in force. `steerId`: of its append. */
export function commitSteering(
  { conversation, signal, runId }: RunContext,
  said: Steering,
  steerId: string,
): Promise<boolean> {
  return conversation.append(
    (run) => {
      // While a step is cut short, more may be said; a run that is being stopped takes nothing more in.
      const isStopping = signal.aborted && (signal.reason as Stop).type !== 'cut'
      if (isStopping || run?.runId !== runId || run.end !== null) return null
      if (said.type === 'send') {
        const message = { ...said.message, ...WHEN[said.when] }
        return [{ type: 'message-queued', message }]
      }
      if (said.type === 'revoke') return revocation(conversation.state, said.consentId)
      const { messageId } = said
      const isQueued = conversation.state.queue.some(({ id }) => id === messageId)
      return isQueued ? [{ type: 'message-withdrawn', messageId }] : null
    },
    { waits: false, appendId: steerId },
  )
}

/** Null: the consent isn't in force. */
export function revocation(
  { consents }: Pick<ConversationState, 'consents'>,
  consentId: string,
): FactDraft[] | null {
  const isInForce = consents.some((consent) => consent.consentId === consentId)
  return isInForce ? [{ type: 'consent-revoked', consentId }] : null
}

const WHEN: Record<SendMessage['when'], Pick<UserContent, 'when' | 'orSooner'>> = {
  'after-run': { when: 'after-run' },
  soonest: { when: 'after-run', orSooner: true },
  'next-step': {},
  now: {},
}

type Queued = Pick<ConversationState, 'queue'>

/** What was written for this run becomes part of the conversation, in its order. */
export function deliveries({ queue }: Queued): FactDraft[] {
  return queue.filter(isForThisRun).flatMap(delivered)
}

/** The message becomes one of the conversation. */
export function delivered(message: UserContent): FactDraft[] {
  return [{ type: 'message-delivered', messageId: message.id }, ...takenWith(message)]
}

export function hasDeliveries({ queue }: Queued): boolean {
  return queue.some(isForThisRun)
}

/** Returns what the run's end finds queued, but for the messages that begin the next run. */
export function returns({ queue }: Queued, begun: readonly UserContent[] = []): FactDraft[] {
  return queue
    .filter((message) => !begun.includes(message))
    .map((message) => ({
      type: 'message-withdrawn',
      messageId: message.id,
      ...(!message.trigger && { returned: contentOf(message) }),
    }))
}

/** What the next run begins with, in its order. `ofAll`: not only what triggers sent. */
export function forNextRun({ queue }: Queued, ofAll: boolean): readonly UserContent[] {
  return queue.filter(({ when, trigger }) => when === 'after-run' && (ofAll || trigger))
}

function isForThisRun({ when, orSooner }: UserContent): boolean {
  return when === undefined || orSooner === true
}

/** A queued message without what says when it is read. */
export function contentOf({
  when: _when,
  orSooner: _orSooner,
  ...content
}: UserContent): UserContent {
  return content
}
