import { pick, type Draft } from './state.ts'
import type { Row, RowOf } from '../protocol/fact.ts'
import type { RunState, StepOutput } from '../protocol/state.ts'
import { isSoonAfter } from './crash-loop.ts'
import { proposedCalls } from './fold-call.ts'
import { titleOf } from './title.ts'
import { addCost, addUsage } from './usage.ts'

type RunRow = RowOf<
  | 'run-started'
  | 'step-started'
  | 'attempt-failed'
  | 'model-output'
  | 'step-cut'
  | 'run-resumed'
  | 'run-paused'
  | 'run-continued'
  | 'run-ended'
>

/** Folds a row into the newest run. Ignores rows of other runs. */
export function foldRun(draft: Draft, row: RunRow): void {
  const { state } = draft
  if (row.type === 'run-started') {
    state.run = startRun(row, state.run)
    // If this run follows another, the same append returned the messages, so they stay.
    if (!state.run.follows) state.returned = []
    state.title ||= row.message && titleOf(row.message.parts)
  } else if (isOfRun(state.run, row)) draft.changeRun(changeOf(state.run, row))
}

export function isOfRun(run: RunState | null, row: Row): run is RunState {
  return run !== null && run.runId === row.runId
}

function startRun(
  { runId, limits, at, forCall }: RowOf<'run-started'>,
  before: RunState | null,
): RunState {
  const isNext = before?.end && before.next === runId
  return {
    runId: runId ?? '',
    limits,
    startedAt: at,
    steps: 0,
    stepResumes: 0,
    stepStartedAt: 0,
    stepOpen: false,
    failedAttempts: 0,
    output: null,
    calls: [],
    feedback: null,
    finishReason: 'other',
    usage: { modelCalls: 0 },
    paused: null,
    end: null,
    endedAt: 0,
    ...(forCall && { forCall }),
    ...(isNext && { follows: { runId: before.runId, end: before.end } }),
  }
}

function changeOf(run: RunState, row: Exclude<RunRow, { type: 'run-started' }>): Partial<RunState> {
  switch (row.type) {
    case 'step-started': {
      const isLoop = row.resumed && isSoonAfter(run.stepStartedAt, row.at)
      return {
        stepOpen: true,
        stepStartedAt: row.at,
        stepResumes: isLoop ? run.stepResumes + 1 : 0,
        failedAttempts: 0,
        output: null,
      }
    }
    case 'attempt-failed':
      return {
        failedAttempts: run.failedAttempts + 1,
        usage: addCost(run.usage, row.usage),
      }
    case 'model-output':
      return {
        steps: run.steps + 1,
        stepResumes: 0,
        stepOpen: false,
        failedAttempts: 0,
        output: outputOf(row),
        calls: proposedCalls(row),
        feedback: row.feedback?.error ?? null,
        finishReason: row.finishReason,
        usage: addUsage(run.usage, row.usage),
      }
    case 'step-cut':
      return {
        stepOpen: false,
        usage: addCost(run.usage, row.usage),
        ...(row.continues && { steps: run.steps + 1 }),
      }
    case 'run-resumed':
      return {}
    case 'run-paused':
      return { paused: row.reason }
    case 'run-continued':
      return { paused: null, stepResumes: 0 }
    case 'run-ended':
      return {
        stepOpen: false,
        output: null,
        paused: null,
        end: row.end,
        endedAt: row.at,
        ...(row.next !== undefined && { next: row.next }),
      }
    default:
      return row satisfies never
  }
}

export function outputOf(row: RowOf<'model-output'>): StepOutput {
  return pick(row, ['step', 'usage', 'finishReason', 'rawFinishReason'])
}
