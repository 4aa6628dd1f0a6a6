import type {
  RevokeConsent,
  SendMessage,
  StartRun,
  WithdrawMessage,
} from '../../protocol/worker-calls.ts'
import type { UserContent } from '../../protocol/fact.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { Stop, DrivenRun } from './run-context.ts'
import { hasPlan } from '../../conversation/context.ts'
import type { RunLimits } from '../../protocol/run.ts'

/** Marks untrusted content in a message's text or files. Committed with the message. */
function messageTaint(message: UserContent | null): FactDraft[] {
  if (message === null) return []
  const { id, parts, trigger = 'the agent that asked', untrusted } = message
  const file = parts.find((part) => part.type === 'file')
  const origins = [untrusted && trigger, file && (file.filename || 'an attached file')]
  return origins.flatMap((origin) => (origin ? { type: 'context-tainted', after: id, origin } : []))
}

interface RunPlacement {
  /** Id of the message to continue from. Default: the head. */
  readonly parentId?: string | null
  readonly forCall?: true
}

/**
 * Facts that start a run and its first step and deliver the queued messages. One commit for all saves waits for the
 * disk.
 */
export function firstFacts(
  [message, ...queued]: readonly [StartRun['message'], ...UserContent[]],
  limits: RunLimits,
  placement: RunPlacement = {},
): FactDraft[] {
  return [
    { type: 'run-started', message, limits, ...placement },
    ...messageTaint(message),
    ...queued.flatMap(deliveryFacts),
    { type: 'step-started', step: 1, resumed: false },
  ]
}

/** Drops the model's plan when a new request begins, because the plan was made for the previous request. */
export function planDropped(state: ConversationState, message: StartRun['message']): FactDraft[] {
  return message && hasPlan(state) ? [{ type: 'plan-changed', after: message.id, plan: [] }] : []
}

/** A person's request to an open run: send or withdraw a message, or revoke a consent. */
export type Steering =
  | ({ readonly type: 'send' } & Pick<SendMessage, 'runId' | 'message' | 'when'>)
  | ({ readonly type: 'withdraw' } & Pick<WithdrawMessage, 'runId' | 'messageId'>)
  | ({ readonly type: 'revoke'; readonly runId: string } & Pick<RevokeConsent, 'consentId'>)

/**
 * Commits the request. Returns false if the run has ended, the message is no longer queued, or the consent isn't in
 * effect. `steerId` is the id of the append.
 */
export function commitSteering(
  { conversation, signal, runId }: DrivenRun,
  request: Steering,
  steerId: string,
): Promise<boolean> {
  return conversation.append(
    (run) => {
      // A step that is being cut short still accepts messages. A run that is stopping accepts none.
      const isStopping = signal.aborted && (signal.reason as Stop).type !== 'cut'
      if (isStopping || run?.runId !== runId || run.end !== null) return null
      if (request.type === 'send') {
        const message = { ...request.message, ...WHEN[request.when] }
        return [{ type: 'message-queued', message }]
      }
      if (request.type === 'revoke') return revocation(conversation.state, request.consentId)
      const { messageId } = request
      const isQueued = conversation.state.queue.some(({ id }) => id === messageId)
      return isQueued ? [{ type: 'message-withdrawn', messageId }] : null
    },
    { waits: false, appendId: steerId },
  )
}

/** Returns null if the consent isn't in effect. */
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

/** Facts that add the messages queued for this run to the conversation, in order. */
export function deliveries({ queue }: Queued): FactDraft[] {
  return queue.filter(isForThisRun).flatMap(deliveryFacts)
}

function deliveryFacts(message: UserContent): FactDraft[] {
  return [{ type: 'message-delivered', messageId: message.id }, ...messageTaint(message)]
}

export function hasDeliveries({ queue }: Queued): boolean {
  return queue.some(isForThisRun)
}

/**
 * Withdraws messages that are still queued at the run's end, without the messages of the next run. A person's messages
 * are returned.
 */
export function withdrawalFacts(
  { queue }: Queued,
  nextMessages: readonly UserContent[] = [],
): FactDraft[] {
  return queue
    .filter((message) => !nextMessages.includes(message))
    .map((message) => ({
      type: 'message-withdrawn',
      messageId: message.id,
      ...(!message.trigger && { returned: contentOf(message) }),
    }))
}

/** Messages that start the next run, in queue order: messages of triggers and, with `includesPeople`, of a person. */
export function forNextRun({ queue }: Queued, includesPeople: boolean): readonly UserContent[] {
  return queue.filter(({ when, trigger }) => when === 'after-run' && (includesPeople || trigger))
}

function isForThisRun({ when, orSooner }: UserContent): boolean {
  return when === undefined || orSooner === true
}

/** A queued message without the fields that say when to deliver it. */
export function contentOf({
  when: _when,
  orSooner: _orSooner,
  ...content
}: UserContent): UserContent {
  return content
}
