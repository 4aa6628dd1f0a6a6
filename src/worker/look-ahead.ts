import { JOURNAL_VERSION, type JournalBody } from '../protocol/journal.ts'
import { decide } from './decide.ts'
import { evolve } from './evolve.ts'
import type { RunState } from './state.ts'

/** The run as it will be once these facts are committed. Pure. */
export function lookAhead(run: RunState, bodies: readonly JournalBody[]): RunState {
  const place = { v: JOURNAL_VERSION, conversationId: '', seq: 0, runId: run.runId, at: 0 } as const
  return bodies.reduce(
    (state: RunState, body) => evolve(state, { ...body, ...place }) ?? state,
    run,
  )
}

/** The facts and, if they are what the model waited for, the begin of its next step: one commit. */
export function withNextStep(
  run: RunState | null,
  bodies: readonly JournalBody[],
): readonly JournalBody[] {
  if (run === null || run.end !== null) return bodies
  const next = lookAhead(run, bodies)
  if (next.stepOpen || decide(next) !== 'call-model') return bodies
  return [...bodies, { type: 'step-started', step: next.steps + 1, resumed: false }]
}
