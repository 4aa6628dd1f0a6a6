import type { DecidedBy } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { RunContext } from './run-context.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

/** The properties of a call's tool that are stored with the decision about the call. */
export function decidedBy({
  definition,
  annotations,
  hasReconcile,
  composite,
  hasUndo,
  untrusted,
}: ToolDescriptor): DecidedBy {
  const { readOnly = false, idempotent = false } = annotations
  const replayable = readOnly || idempotent
  return {
    definition,
    replayable,
    reconcilable: hasReconcile,
    ...(composite && { composite }),
    ...(hasUndo && { undoable: true }),
    ...(untrusted !== undefined && { untrusted }),
  }
}

/** For a call whose tool is gone. Matches no tool's definition, and assumes nothing about the tool. */
export const DECIDED_BY_NOTHING: DecidedBy = {
  definition: '',
  replayable: false,
  reconcilable: false,
}

/** Identifies an approval: the run and call, the request, the approved tool and input, and the execution before. */
function approvalOf({ runId }: RunContext, call: CallState): readonly unknown[] {
  const { toolCallId, toolName, decidedBy, askedAt, about, resolvedAs, input, executionId } = call
  const definition = decidedBy?.definition
  return [runId, toolCallId, executionId, toolName, definition, input, about, askedAt, resolvedAs]
}

/** Notes in this browser that its user has approved the call. `change`: the fields that the answer changes. */
export async function noteApproval(
  context: RunContext,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  const { claims } = context.conversation
  await claims.note('approvals', approvalOf(context, { ...call, ...change }))
}

/** Notes that an approved call has started. The approval now covers only a repetition of this execution. */
export async function noteStart(
  context: RunContext,
  { call, executionId, input, by: decidedBy }: Start,
): Promise<void> {
  const { claims } = context.conversation
  const approval = approvalOf(context, call)
  if (!(await claims.isNoted('approvals', approval))) return
  await claims.note('approvals', [approval])
  await noteApproval(context, call, { executionId, input, decidedBy })
}

/**
 * Whether a call may start. Anybody may have written the rows of a store that devices share. A call that this driver
 * didn't decide therefore needs an approval given in this browser, which allows one start.
 */
export async function mayStart(context: RunContext, call: CallState): Promise<boolean> {
  if (context.ready.has(call.toolCallId)) return true
  const approval = approvalOf(context, call)
  return context.conversation.claims.isNoted('approvals', approval, [approval])
}

/** Identifies the effect to undo. In a shared store, others may have written the call, its input or its output. */
export function effectOf(
  runId: string,
  { toolCallId, toolName, input, output }: CallState,
): readonly unknown[] {
  return [runId, toolCallId, toolName, input, output]
}

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
