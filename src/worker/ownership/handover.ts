import type { Effects } from '../effects.ts'
import type { HandoverAnswer, LeaseMessages } from './lease-messages.ts'
import type { Lease } from './lease.ts'
import { ANSWER_MS } from './liveness.ts'
import type { TabChannel } from './tab-channel.ts'
import { withStop } from './with-stop.ts'

/** Unanswered requests after which no living holder is assumed. */
const MAX_UNANSWERED = 3
/** Time for a holder to decide, once it has answered `pending`. Milliseconds. */
const ANSWER_LIMIT_MS = 15_000
/** The holder refuses if its own side hasn't decided by then. Milliseconds. */
const DECISION_MS = 10_000
/** A lock that is handed over is reserved this long for the requesting tab. Milliseconds. */
const TRANSFER_MS = 3000

interface HandoverDeps {
  readonly channel: TabChannel<LeaseMessages>
  readonly effects: Pick<Effects, 'sleep' | 'newId'>
}

/** Asks the holder for the lease. True once this worker holds it. */
export async function requestHandover(lease: Lease, deps: HandoverDeps): Promise<boolean> {
  if (lease.isHeld) return true
  const answer = await ask(lease.conversationId, deps)
  // Steals the lock instead of queueing for it: other tabs in the queue didn't ask for the handover.
  return answer === 'granted' ? lease.steal() : false
}

async function ask(
  conversationId: string,
  { channel, effects }: HandoverDeps,
): Promise<HandoverAnswer | null> {
  const requestId = effects.newId('handover-')
  let answer: HandoverAnswer | null = null
  let onAnswer = (): void => undefined
  const remove = channel.on('handover-answer', (message) => {
    if (message.requestId !== requestId) return
    answer = message.answer
    onAnswer()
  })
  const isOpen = (): boolean => answer === null || answer === 'pending'
  const limit = (): number => (answer === null ? MAX_UNANSWERED : ANSWER_LIMIT_MS / ANSWER_MS)
  // Repeats the request, since it or its answer may be lost.
  for (let asked = 0; isOpen() && asked < limit(); asked++) {
    await withStop([], async (wait) => {
      onAnswer = () => isOpen() || wait.abort()
      channel.post('handover-ask', { conversationId, requestId })
      await effects.sleep(ANSWER_MS, wait.signal)
    })
  }
  remove()
  return answer
}

interface Holder {
  isDriving(conversationId: string): boolean
  decide(conversationId: string): Promise<boolean>
}

/** Holder's side: decides on each request once, and reserves the lock for the tab that gets it. */
export function answerHandovers(
  deps: HandoverDeps,
  leases: ReadonlyMap<string, Lease>,
  holder: Holder,
): void {
  const { channel, effects } = deps
  const answers = new Map<string, HandoverAnswer>()
  const post = (requestId: string, answer: HandoverAnswer): void =>
    channel.post('handover-answer', { requestId, answer })

  channel.on('handover-ask', async ({ conversationId, requestId }) => {
    const known = answers.get(requestId)
    if (known !== undefined) return post(requestId, known)
    const lease = leases.get(conversationId)
    const isHeld = lease?.isHeld === true
    if (!isHeld && !holder.isDriving(conversationId)) return
    if (isHeld && !lease.reserve()) return post(requestId, 'refused')
    const answer = (given: HandoverAnswer): void => {
      answers.set(requestId, given)
      post(requestId, given)
    }
    answer('pending')
    const isAgreed = await decided(conversationId, deps, holder)
    if (isHeld) await transfer(lease, isAgreed, { effects, answer })
    // A waiting run holds no lease, so nothing has to be reserved for the other tab.
    else answer(isAgreed ? 'granted' : 'refused')
    // Nobody repeats the request after this time.
    await effects.sleep(ANSWER_LIMIT_MS)
    answers.delete(requestId)
  })
}

async function transfer(
  lease: Lease,
  isAgreed: boolean,
  { effects, answer }: Pick<HandoverDeps, 'effects'> & { answer(given: HandoverAnswer): void },
): Promise<void> {
  if (isAgreed) lease.release()
  answer(lease.isReady ? 'granted' : 'refused')
  await withStop([], ({ signal }) =>
    Promise.race([lease.whenTaken(signal), effects.sleep(TRANSFER_MS, signal)]),
  )
  lease.endReservation()
}

async function decided(
  conversationId: string,
  { effects }: HandoverDeps,
  { decide }: Holder,
): Promise<boolean> {
  return withStop([], ({ signal }) =>
    Promise.race([
      decide(conversationId).catch(() => false),
      effects.sleep(DECISION_MS, signal).then(() => false),
    ]),
  )
}
