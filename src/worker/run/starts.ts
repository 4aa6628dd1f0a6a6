import type { DecidedBy } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { DECIDED_BY_NOTHING, decidedBy } from './decided-by.ts'
import type { RunContext } from './run-context.ts'

/** Most calls that run in parallel. */
const SIDE_BY_SIDE = 4

/** The calls to run next: the first one, and those directly after it that may run in parallel. */
export function nextGroup(open: readonly CallState[]): readonly CallState[] {
  const first = open[0]
  if (!first?.parallel) return open.slice(0, 1)
  const end = open.findIndex((call) => !call.parallel || !RUNNABLE.has(call.status))
  return open.slice(0, Math.min(end === -1 ? open.length : end, SIDE_BY_SIDE))
}

const RUNNABLE: ReadonlySet<CallState['status']> = new Set(['proposed', 'approved'])

/** A call that is about to start on the page. */
export interface Start {
  readonly call: CallState
  readonly executionId: string
  readonly input: JsonValue
  readonly by: DecidedBy
  /** Whether an earlier execution may have had its effect. */
  readonly repeats: boolean
  /** Id of the consent that allows the call without approval. */
  readonly consentId?: string
}

/** Starts for the calls, from this driver's decision, or else the stored one, or else the current tool. */
export function startsOf(
  context: RunContext,
  calls: readonly CallState[],
  { repeats = false }: { readonly repeats?: boolean } = {},
): Start[] {
  return calls.map((call) => {
    const ready = context.ready.get(call.toolCallId)
    const tool = context.tools.get(call.toolName)
    return {
      call,
      executionId: context.effects.newId(`${context.pageId}:`),
      input: ready ? ready.input : call.input,
      by: ready?.by ?? call.decidedBy ?? (tool ? decidedBy(tool) : DECIDED_BY_NOTHING),
      repeats,
      ...(ready?.consentId !== undefined && { consentId: ready.consentId }),
    }
  })
}

/** The fact to commit before the page runs the call. */
export function startFact(start: Start): FactDraft {
  const { call, executionId, input, by, repeats, consentId } = start
  return {
    type: 'call-started',
    path: call.path,
    executionId,
    by,
    repeats,
    ...(input !== call.input && { input }),
    ...(consentId !== undefined && { consentId }),
  }
}

/** Whether the commit must reach the disk first: a call that can't be repeated after a crash needs a safe record. */
export function mustBeStrict(starts: readonly Start[]): boolean {
  return starts.some(({ by }) => !by.replayable && !by.composite)
}
