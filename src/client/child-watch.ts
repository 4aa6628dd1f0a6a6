import { isSettledStatus } from '../conversation/pending.ts'
import type { ConversationSnapshot, ShownCall } from '../conversation/snapshot.ts'
import { whenAborted } from '../lib/abort.ts'
import { sleepUnlessAborted } from '../lib/sleep.ts'
import type { RunUsage, ToolOutput } from '../protocol/message.ts'
import { DELETED, isLeftOpen, PARENT_ENDED, type RunOutcome } from '../protocol/run.ts'
import type { AgentParts } from './agent-parts.ts'
import { mayPassWords, outputOf } from './child-outcome.ts'
import type { Conversation } from './conversation-view.ts'
import type { ChildCall } from './joiners.ts'
import type { Run } from './run.ts'
import { shownBy } from './shown-by.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { SubAgent } from './sub-agent-parts.ts'

/** Delay before a failed attempt is repeated. Doubles with each attempt. Milliseconds. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** How long a page waits for the page that drove the run to settle the call. Milliseconds. */
const OTHERS_MS = 10_000

export interface Watched {
  readonly call: ChildCall
  /** Ends the watch when aborted. */
  readonly signal: AbortSignal
  stop(): void
  /** Resumes the run, unless another page drives it. */
  join(): Promise<Run | null>
  /** The first attempt to resume. */
  readonly joined: Promise<Run | null>
}

/**
 * Watches both conversations until the call has ended or the signal aborts. Resumes the run if nobody drives it, and
 * settles the call when the run has ended.
 */
export function watchChild(sub: SubAgent, parent: AgentParts, watched: Watched): void {
  new ChildWatch(sub, parent, watched).begin()
}

class ChildWatch {
  readonly #sub: SubAgent
  readonly #parent: AgentParts
  readonly #watched: Watched
  readonly #child: Conversation
  readonly #above: SnapshotStore<ConversationSnapshot>
  #isSettling = false
  #isJoining = false
  /** This page's newest handle ended, but the run didn't. */
  #isLeft = false
  /** Another page was the last to drive the run. */
  #isElsewhere = false

  constructor(sub: SubAgent, parent: AgentParts, watched: Watched) {
    this.#sub = sub
    this.#parent = parent
    this.#watched = watched
    this.#child = sub.agent.conversation(watched.call.childId)
    this.#above = shownBy(parent, watched.call.conversationId)
  }

  begin(): void {
    const { signal, joined } = this.#watched
    const compare = (): void => this.#compare()
    const leaving = [this.#above.subscribe(compare), this.#child.subscribe(compare)]
    void whenAborted(signal).then(() => {
      for (const leave of leaving) leave()
    })
    void this.#note(joined)
    compare()
  }

  #compare(): void {
    const { call, signal, stop } = this.#watched
    if (signal.aborted) return
    const waiting = callIn(this.#above.getSnapshot(), call.toolCallId)
    const shown = this.#child.getSnapshot()
    const { ended, runId, status, ownership } = shown
    if (runId !== undefined && status === 'running')
      this.#isElsewhere = ownership === 'other-tab' || ownership === 'other-device'
    if (waiting && isSettledStatus(waiting.status)) {
      stop()
      if (runId !== undefined) void this.#child.abort(PARENT_ENDED).catch(() => undefined)
      return
    }
    const isDue = waiting?.status === 'suspended' && !this.#isSettling
    if (!isDue || isStopping(this.#parent, call)) return
    if (ended && !isLeftOpen(ended)) void this.#settle(ended)
    else if (isEmpty(shown)) void this.#endDeleted()
    else if (!this.#isJoining && (this.#isLeft || isUndriven(shown))) void this.#goOn()
  }

  async #note(joined: Promise<Run | null>): Promise<void> {
    this.#isLeft = false
    try {
      const result = await (await joined)?.result
      this.#isLeft = result !== undefined && isLeftOpen(result)
    } catch {
      this.#isLeft = true
    }
    if (this.#isLeft) this.#compare()
  }

  async #goOn(): Promise<void> {
    const { signal, join } = this.#watched
    this.#isJoining = true
    for (let delay = FIRST_DELAY_MS; !signal.aborted; delay *= 2) {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
      if (signal.aborted || !(this.#isLeft || isUndriven(this.#child.getSnapshot()))) break
      const joined = join()
      void this.#note(joined)
      await joined.catch(() => undefined)
    }
    this.#isJoining = false
  }

  async #settle(ended: Settling['ended']): Promise<void> {
    const { call, signal, stop } = this.#watched
    this.#isSettling = true
    if (this.#isElsewhere) await sleepUnlessAborted(OTHERS_MS, signal)
    await settle(this.#sub, this.#parent, { call, ended, signal })
    stop()
  }

  async #endDeleted(): Promise<void> {
    const { call, signal } = this.#watched
    this.#isSettling = true
    const isGone = await hasNoRun(this.#sub, call).catch(() => false)
    this.#isSettling = false
    if (isGone && !signal.aborted)
      await this.#settle({ runId: '', outcome: 'aborted', reason: DELETED })
  }
}

/** True for an open run that nobody drives. */
function isUndriven({ ended, runId, status }: ConversationSnapshot): boolean {
  return ended ? isLeftOpen(ended) : runId !== undefined && status === 'idle'
}

/** True if the conversation no longer shows its run. */
function isEmpty({ status, runId, ended, error }: ConversationSnapshot): boolean {
  return status === 'idle' && runId === undefined && !ended && !error
}

/** Asks the store whether the conversation was deleted, or its history cleared. */
async function hasNoRun({ agent }: SubAgent, { childId }: ChildCall): Promise<boolean> {
  const record = await agent.conversations.get(childId)
  return record === null || (record.openRunId === null && record.messages.length === 0)
}

/** True while the calling run is being aborted here: its end settles the call. */
function isStopping({ runs }: AgentParts, { conversationId }: ChildCall): boolean {
  return [...runs.open.values()].some(
    ({ run, abortReason }) => run.conversationId === conversationId && abortReason !== undefined,
  )
}

function callIn({ messages }: ConversationSnapshot, toolCallId: string): ShownCall | undefined {
  for (const { calls = [] } of messages.toReversed()) {
    const call = calls.find((each) => each.toolCallId === toolCallId)
    if (call) return call
  }
  return undefined
}

interface Settling {
  readonly call: ChildCall
  readonly ended: RunOutcome & { readonly runId: string }
  readonly signal: AbortSignal
}

/** Answers the call, and tries again until that succeeds. Never rejects. */
async function settle(
  sub: SubAgent,
  parent: AgentParts,
  { call, ended, signal }: Settling,
): Promise<void> {
  const { conversationId, toolCallId } = call
  let usage: RunUsage | undefined
  let output: ToolOutput | undefined
  for (let delay = FIRST_DELAY_MS; !signal.aborted; delay *= 2) {
    try {
      output ??= await outputOf(sub, call, { ...ended, signal, onUsage: (used) => (usage = used) })
      if (signal.aborted) return
      const answer = {
        type: 'settle',
        output,
        ...(usage && { usage }),
        ...(mayPassWords(sub, call, output) && { untrusted: true as const }),
      } as const
      await parent.ask('answerCall', { ...parent.scope(), conversationId, toolCallId, answer })
      return
    } catch {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
    }
  }
}
