import type { DecidedBy } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { DECIDED_BY_NOTHING, decidedBy } from './decided-by.ts'
import type { RunContext } from './run-context.ts'

/** Calls that run side by side at most. */
const SIDE_BY_SIDE = 4

/** The calls to run next: the first, and the ones right after it that may run beside it. */
export function nextGroup(open: readonly CallState[]): readonly CallState[] {
  const first = open[0]
  if (!first?.parallel) return open.slice(0, 1)
  const end = open.findIndex((call) => !call.parallel || !RUNNABLE.has(call.status))
  return open.slice(0, Math.min(end === -1 ? open.length : end, SIDE_BY_SIDE))
}

const RUNNABLE: ReadonlySet<CallState['status']> = new Set(['proposed', 'approved'])

/** A call on its way to the page. */
export interface Start {
  readonly call: CallState
  readonly executionId: string
  readonly input: JsonValue
  readonly by: DecidedBy
  /** An earlier execution may have had its effect. */
  readonly repeats: boolean
  /** Nobody was asked, by this consent of a person. */
  readonly consentId?: string
}

/** What runs: as it was decided just now, else as the facts say that it was decided, else as it stands. */
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

/** The fact to be committed before a start is handed to the page. */
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

/** A start that could not be repeated after a crash must be on the disk, not only on its way. */
export function mustBeStrict(starts: readonly Start[]): boolean {
  return starts.some(({ by }) => !by.replayable && !by.composite)
}
