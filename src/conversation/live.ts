import type { Delta, DeltaOf, Live, LiveInput, LivePart, LiveStep } from '../protocol/delta.ts'
import type { Row } from '../protocol/fact.ts'
import { DELETED, isUnfinished, type RunOutcome } from '../protocol/run.ts'

/** State before any delta. Also for conversations that are only displayed from stored rows. */
export const NOTHING_LIVE: Live = {
  ownership: 'none',
  step: null,
  retry: null,
  progress: {},
  waits: null,
  left: null,
}

/** Applies a delta. Returns the same object if nothing changes. */
export function foldDelta(live: Live, delta: Delta): Live {
  switch (delta.type) {
    case 'attempt-started': {
      const { runId, step, attempt, messageId } = delta
      return {
        ...live,
        step: { runId, step, attempt, messageId, parts: [], inputs: [] },
        retry: null,
        left: refusedRun(live),
      }
    }
    case 'text-start':
    case 'reasoning-start':
      return withPart(live, { type: kindOf(delta.type), partId: delta.partId, text: '' })
    case 'text-delta':
    case 'reasoning-delta':
      return withText(live, delta)
    case 'tool-input-start': {
      const { toolCallId, toolName, title } = delta
      const named = { toolCallId, toolName, ...(title !== undefined && { title }) }
      const input = { ...named, text: '', isComplete: false }
      return withStep(live, (step) => ({ ...step, inputs: [...step.inputs, input] }))
    }
    case 'tool-input-delta':
      return withInput(live, delta.toolCallId, (input) => ({
        ...input,
        text: input.text + delta.delta,
      }))
    case 'tool-input-end':
      return withInput(live, delta.toolCallId, (input) => ({ ...input, isComplete: true }))
    case 'step-reset':
      return withStep(live, (step) => ({ ...step, parts: [], inputs: [] }))
    case 'retry': {
      const { retries: attempt, delayMs, error } = delta
      return { ...live, retry: { attempt, delayMs, error } }
    }
    case 'tool-progress':
      return { ...live, progress: { ...live.progress, [delta.path.at(-1) ?? '']: delta.progress } }
    case 'storage-waits': {
      const { runId, reason, message } = delta
      return { ...live, waits: { runId, reason, ...(message && { message }) }, left: null }
    }
    case 'storage-takes':
      return live.waits ? { ...live, waits: null } : live
    case 'run-left':
      return endsHandlesOnly(delta.outcome) ? withoutWait(live, delta) : withLeftRun(live, delta)
    case 'ownership-changed':
      return withOwnership(live, delta.ownership)
    case 'text-end':
    case 'reasoning-end':
    case 'tool-unavailable':
    case 'warning':
    case 'request':
    case 'raw':
      return live
    default:
      return delta satisfies never
  }
}

/** Applies a row, which replaces the deltas that it makes durable. Returns the same object if nothing changes. */
export function settleLive(live: Live, row: Row): Live {
  switch (row.type) {
    case 'run-started': {
      // The model call may have started before this row was committed.
      const isOfRun = live.step?.runId === row.runId
      const { ownership, step, retry } = live
      return { ...NOTHING_LIVE, ownership, ...(isOfRun && { step, retry }) }
    }
    case 'model-output':
    case 'step-cut':
      return live.step || live.retry ? { ...live, step: null, retry: null } : live
    case 'call-settled':
    case 'call-withdrawn': {
      const toolCallId = row.path.at(-1) ?? ''
      if (!Object.hasOwn(live.progress, toolCallId)) return live
      const { [toolCallId]: _done, ...progress } = live.progress
      return { ...live, progress }
    }
    case 'run-ended':
    case 'history-cleared':
      return { ...NOTHING_LIVE, ownership: live.ownership }
    case 'run-continued':
    case 'step-started':
    case 'call-started':
      return live.left ? { ...live, left: refusedRun(live) } : live
    default:
      return live
  }
}

/** Returns `left` only if that run was refused before it began: it stays while another run continues. */
export function refusedRun({ left }: Live): Live['left'] {
  return left?.message === undefined ? null : left
}

function withOwnership(live: Live, ownership: Live['ownership']): Live {
  // A new owner resumes the unfinished run.
  const next = { ...live, ownership, left: ownership === 'none' ? live.left : refusedRun(live) }
  // Streamed text and progress are discarded unless this tab drives the run.
  return ownership === 'this-tab' ? next : { ...next, step: null, retry: null, progress: {} }
}

/**
 * Whether the outcome ends only the run's handles, and isn't shown: another tab may resume the run, or its conversation
 * was deleted.
 */
function endsHandlesOnly(outcome: RunOutcome): boolean {
  return isUnfinished(outcome) || (outcome.outcome === 'aborted' && outcome.reason === DELETED)
}

/** Ends the run's wait for the storage, unless another tab drives it. */
function withoutWait(live: Live, { runId }: DeltaOf<'run-left'>): Live {
  const isOwnWait = live.waits?.runId === runId && live.ownership !== 'other-tab'
  return isOwnWait ? { ...live, waits: null } : live
}

function withLeftRun(live: Live, { type: _type, ...left }: DeltaOf<'run-left'>): Live {
  const { runId, message } = left
  const isRefused = message !== undefined
  const openRunId = (live.step ?? live.waits)?.runId ?? (isRefused || runId)
  if (openRunId === runId) return { ...NOTHING_LIVE, ownership: live.ownership, left }
  // Another run is or may be open, so only a refused run is recorded beside it.
  return isRefused ? { ...live, left } : live
}

function kindOf(type: `${LivePart['type']}-${string}`): LivePart['type'] {
  return type.startsWith('text') ? 'text' : 'reasoning'
}

function withStep(live: Live, change: (step: LiveStep) => LiveStep): Live {
  return live.step ? { ...live, step: change(live.step) } : live
}

function withPart(live: Live, part: LivePart): Live {
  return withStep(live, (step) => ({ ...step, parts: [...step.parts, part] }))
}

function withText(
  live: Live,
  { partId, delta }: { readonly partId: string; readonly delta: string },
): Live {
  return withStep(live, (step) => {
    const index = step.parts.findLastIndex((part) => part.partId === partId)
    const part = step.parts[index]
    return part
      ? { ...step, parts: step.parts.with(index, { ...part, text: part.text + delta }) }
      : step
  })
}

function withInput(live: Live, id: string, change: (input: LiveInput) => LiveInput): Live {
  return withStep(live, (step) => ({
    ...step,
    inputs: step.inputs.map((input) => (input.toolCallId === id ? change(input) : input)),
  }))
}
