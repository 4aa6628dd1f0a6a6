import type { Ownership } from '../protocol/delta.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { Live } from '../protocol/live.ts'
import type { UserContent } from '../protocol/fact.ts'
import type { RunOutcome } from '../protocol/run.ts'
import type { ConversationState, RunState } from '../protocol/state.ts'
import { shownCompactions } from './compactions.ts'
import { planOf } from './context.ts'
import { totalUsage } from './fold-child.ts'
import { refused } from './live.ts'
import { rests } from './nested.ts'
import { pendingOf } from './pending.ts'
import { shownConsents } from './shown-consents.ts'
import { shownMessages } from './shown-messages.ts'
import type { ConversationSnapshot, ShownRun } from './snapshot.ts'
import { taintOf } from './taint.ts'

const NO_BRANCHES: ConversationSnapshot['branches'] = {}

/**
 * What a page shows of a state and of what is live (of a conversation that is only read: `NOTHING_LIVE`).
 * `fault`: why rows can't be read, default null.
 */
export function view(
  state: ConversationState,
  live: Live,
  fault: ErrorData | null = null,
): ConversationSnapshot {
  const { conversationId, title, older, queue, setAside } = state
  const open = openRun(state, live)
  const pending = pendingOf(state)
  const parked = live.waits?.reason ?? (open && open.parked)
  const runId = live.waits?.runId ?? open?.runId
  const ended = open || live.waits ? null : endOf(state, live)
  const unbegun = refused(live)
  const unsent = unbegun?.message ?? together(state.returned)
  const error = fault ?? errorOf(ended) ?? errorOf(unbegun?.outcome)
  const plan = planOf(state)
  const compactions = shownCompactions(state)
  const isDriven = runId !== undefined && live.ownership !== 'none'
  return {
    conversationId,
    status: pending.length > 0 || parked ? 'waiting' : isDriven ? 'running' : 'idle',
    ...(title !== null && { title }),
    messages: shownMessages(state, live),
    older,
    pending,
    ...(runId !== undefined && { runId }),
    ...(open && { run: shownRun(open, live) }),
    ...spentBy(state),
    ...(parked && { parked }),
    ...(ended && { ended }),
    ...(error && { error }),
    ownership: ownershipOf(state, live),
    branches: branchesOf(state),
    ...(plan && { plan }),
    queued: queue,
    ...(unsent && { unsent }),
    ...(compactions && { compactions }),
    ...(setAside && { setAside }),
    taint: taintOf(state),
    consents: shownConsents(state),
  }
}

/** Null: there is nothing. */
function together([first, ...others]: readonly UserContent[]): UserContent | null {
  if (!first) return null
  return { id: first.id, parts: [first, ...others].flatMap(({ parts }) => parts) }
}

/** Of a run whose history was cleared, nothing. */
function spentBy({ run, path }: ConversationState): Pick<ConversationSnapshot, 'spent'> {
  if (!run || path.length === 0) return {}
  return { spent: { own: run.usage, total: totalUsage(run) ?? run.usage } }
}

/** Also of a run that was left here. Whoever has one that rests, nobody drives it. */
function ownershipOf({ run }: ConversationState, { ownership, waits }: Live): Ownership {
  if (waits) return ownership
  return run?.end === null && !rests(run) ? ownership : 'none'
}

/** The run that is open, and not left by whoever drove it here. */
function openRun({ run }: ConversationState, { left }: Live): RunState | null {
  return run === null || run.end !== null || left?.runId === run.runId ? null : run
}

/** Of a run whose history was cleared, nothing. */
function endOf(
  { run, path }: ConversationState,
  { left }: Live,
): ConversationSnapshot['ended'] | null {
  if (left) return { ...left.outcome, runId: left.runId }
  return run?.end && path.length > 0 ? { ...run.end, runId: run.runId } : null
}

function errorOf(end: RunOutcome | null | undefined): ErrorData | null {
  return end?.outcome === 'failed' ? end.error : null
}

function shownRun(run: RunState, { step, retry }: Live): ShownRun {
  const { runId, steps, stepOpen, failedAttempts, usage, startedAt } = run
  const writing = step?.runId === runId && !step.isLeft ? step : null
  return {
    runId,
    step: writing?.step ?? (stepOpen ? steps + 1 : steps),
    attempt: writing?.attempt ?? failedAttempts + 1,
    ...(writing && { messageId: writing.messageId }),
    ...(retry && { retry }),
    usage,
    startedAt,
  }
}

const branches = new WeakMap<
  ConversationState['forks'],
  { readonly path: ConversationState['path']; readonly value: ConversationSnapshot['branches'] }
>()

function branchesOf({ forks, path }: ConversationState): ConversationSnapshot['branches'] {
  if (forks.length === 0) return NO_BRANCHES
  const known = branches.get(forks)
  if (known?.path === path) return known.value
  const value = branchesOn(forks, path)
  branches.set(forks, { path, value })
  return value
}

function branchesOn(
  forks: ConversationState['forks'],
  path: ConversationState['path'],
): ConversationSnapshot['branches'] {
  const shown = new Set(path.map(({ id }) => id))
  return Object.fromEntries(
    forks.flatMap(({ children: ids }) => {
      const index = ids.findIndex((id) => shown.has(id))
      return ids.length > 1 && index >= 0 ? [[ids[index], { index, ids }]] : []
    }),
  )
}
