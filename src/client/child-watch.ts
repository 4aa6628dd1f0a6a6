import type { ConversationSnapshot, ShownCall } from '../conversation/snapshot.ts'
import { whenAborted } from '../lib/abort.ts'
import { sleepUnlessAborted } from '../lib/sleep.ts'
import type { RunUsage, ToolOutput } from '../protocol/message.ts'
import { DELETED, isLeftOpen, PARENT_ENDED, type RunOutcome } from '../protocol/run.ts'
import type { ToolCallStatus } from '../protocol/tool.ts'
import type { AgentParts } from './agent-parts.ts'
import { outputOf } from './child-outcome.ts'
import type { ChildCall } from './joiners.ts'
import type { Run } from './run.ts'
import { shownBy } from './shown-by.ts'
import type { SubAgent } from './sub-agent-parts.ts'

/** What failed is tried again so much later, twice that, and so on. Milliseconds. */
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000
/** How long the end of a run that another page drove is left to that page. Milliseconds. */
const OTHERS_MS = 10_000

export interface Watched {
  readonly call: ChildCall
  /** Aborted: no more. */
  readonly signal: AbortSignal
  stop(): void
  /** Goes on with the run, if nobody else does. */
  join(): Promise<Run | null>
  /** The first try of that. */
  readonly joined: Promise<Run | null>
}

/**
 * Looks after both conversations, until the call has ended or the signal aborts: goes on with the run when nobody
 * drives it any more, and settles the call when the run has ended.
 */
export function watchChild(sub: SubAgent, parent: AgentParts, watched: Watched): void {
  const { call, signal, stop } = watched
  const child = sub.agent.conversation(call.childId)
  const above = shownBy(parent, call.conversationId)
  let isSettling = false
  let isJoining = false
  /** The newest handle of this page ended, and the run didn't. */
  let isLeft = false
  let isElsewhere = false

  const note = async (joined: Promise<Run | null>): Promise<void> => {
    isLeft = false
    try {
      const result = await (await joined)?.result
      isLeft = result !== undefined && isLeftOpen(result)
    } catch {
      isLeft = true
    }
    if (isLeft) compare()
  }
  const goOn = async (): Promise<void> => {
    isJoining = true
    for (let delay = FIRST_DELAY_MS; !signal.aborted; delay *= 2) {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
      if (signal.aborted || !(isLeft || isUndriven(child.getSnapshot()))) break
      const joined = watched.join()
      void note(joined)
      await joined.catch(() => undefined)
    }
    isJoining = false
  }
  const settleWith = async (ended: Settling['ended']): Promise<void> => {
    isSettling = true
    if (isElsewhere) await sleepUnlessAborted(OTHERS_MS, signal)
    await settle(sub, parent, { call, ended, signal })
    stop()
  }
  const endDeleted = async (): Promise<void> => {
    isSettling = true
    const isGone = await hasNoRun(sub, call).catch(() => false)
    isSettling = false
    if (isGone && !signal.aborted)
      await settleWith({ runId: '', outcome: 'aborted', reason: DELETED })
  }
  const compare = (): void => {
    if (signal.aborted) return
    const waiting = callIn(above.getSnapshot(), call.toolCallId)
    const shown = child.getSnapshot()
    const { ended, runId, status } = shown
    if (runId !== undefined && status === 'running') isElsewhere = shown.ownership === 'other-tab'
    if (waiting && isOver(waiting)) {
      stop()
      if (runId !== undefined) void child.abort(PARENT_ENDED).catch(() => undefined)
      return
    }
    if (waiting?.status !== 'suspended' || isSettling || isStopping(parent, call)) return
    if (ended && !isLeftOpen(ended)) void settleWith(ended)
    else if (isEmpty(shown)) void endDeleted()
    else if (!isJoining && (isLeft || isUndriven(shown))) void goOn()
  }
  const leaving = [above.subscribe(compare), child.subscribe(compare)]
  void whenAborted(signal).then(() => {
    for (const leave of leaving) leave()
  })
  void note(watched.joined)
  compare()
}

/** The run is open, and nobody drives it. */
function isUndriven({ ended, runId, status }: ConversationSnapshot): boolean {
  return ended ? isLeftOpen(ended) : runId !== undefined && status === 'idle'
}

/** Its run was there, and is no more. */
function isEmpty({ status, runId, ended, error }: ConversationSnapshot): boolean {
  return status === 'idle' && runId === undefined && !ended && !error
}

/** As the store says: the conversation was deleted, or its history cleared. */
async function hasNoRun({ agent }: SubAgent, { childId }: ChildCall): Promise<boolean> {
  const record = await agent.conversations.get(childId)
  return record === null || (record.openRunId === null && record.messages.length === 0)
}

/** The run that called is being ended here: its end settles the call. */
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

const ENDS: ReadonlySet<ToolCallStatus> = new Set([
  'succeeded',
  'failed',
  'aborted',
  'interrupted',
  'denied',
  'invalid',
])

function isOver({ status }: ShownCall): boolean {
  return ENDS.has(status)
}

interface Settling {
  readonly call: ChildCall
  readonly ended: RunOutcome & { readonly runId: string }
  readonly signal: AbortSignal
}

/** Answers the call, however often it takes. Never rejects. */
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
      const answer = { type: 'settle', output, ...(usage && { usage }) } as const
      await parent.ask('answerCall', { ...parent.scope(), conversationId, toolCallId, answer })
      return
    } catch {
      await sleepUnlessAborted(Math.min(delay, LONGEST_DELAY_MS), signal)
    }
  }
}
