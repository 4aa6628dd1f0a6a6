import type { ExecuteTool, ToolOutcome } from '../../protocol/page-calls.ts'
import type { FactOf, DecidedTool } from '../../protocol/fact.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { callContext, stopsWithoutEnd, type CallsContext, type DrivenRun } from './run-context.ts'
import {
  ABORTED,
  toolKeptChanging,
  INTERRUPTED,
  SECRET_LOST,
  openCall,
  settleCalls,
  type Settlement,
  TOO_LATE,
} from './settle.ts'
import { hasTaintedInput } from './approval/judge-approval.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { whenAborted } from '../../lib/abort.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { takenOverError } from '../store/record.ts'
import { endOf } from '../../conversation/pending.ts'
import { nestedIn } from '../../conversation/nested.ts'
import { positionOf, type ReplayLog, type ReplayedCall } from '../../protocol/composite.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

/** The stored calls and steps of a composite tool's function, which the function gets when it runs again. */
function replayLogOf(call: CallState, calls: readonly CallState[]): ReplayLog {
  return {
    calls: nestedIn(calls, call).map((nested) => replayedCall(call, nested)),
    steps: Object.entries(call.outcomes).map(([key, value]) => ({ key, value })),
    ended: call.ended,
  }
}

function replayedCall(parent: CallState, nested: CallState): ReplayedCall {
  const { toolCallId, toolName, modelInput: input } = nested
  const position = nestedPosition(parent, nested)
  const end = endOf(nested)
  return { toolCallId, position, toolName, input, ...(end && { end }) }
}

/** A nested call's position among its function's requests, read from the call's id. */
export function nestedPosition(parent: CallState, { toolCallId }: CallState): number {
  return positionOf(toolCallId.slice(parent.toolCallId.length + 1))
}

/**
 * Makes a nested call's id from its position. `isUsed`: whether a call already has this id, for example because a model
 * chose it.
 */
export function nestedId(
  parent: CallState,
  position: number,
  isUsed: (id: string) => boolean,
): string {
  const baseId = `${parent.toolCallId}/${position}`
  let id = baseId
  for (let suffix = 2; isUsed(id); suffix++) id = `${baseId}.${suffix}`
  return id
}

type Suspension = Extract<ToolOutcome, { status: 'suspended' }>

type NotStartedReason = Extract<ToolOutcome, { status: 'not-started' }>['reason']

/** The end to store for a tool's outcome. Throws `ownership-lost` if another owner has taken over the run. */
function settlementOf({ call }: Start, outcome: Exclude<ToolOutcome, Suspension>): Settlement {
  if (outcome.status === 'not-started') return { call, ...notStarted(outcome.reason) }
  if (outcome.status === 'unknown') return { call, status: 'interrupted', output: outcome.output }
  return { ...outcome, call }
}

function notStarted(reason: NotStartedReason): Pick<Settlement, 'status' | 'output'> {
  if (reason === 'stale-epoch') throw takenOverError()
  return reason === 'deadline'
    ? { status: 'failed', output: TOO_LATE }
    : { status: 'aborted', output: ABORTED }
}

/** Time that a stopped run waits for its tools to return, in milliseconds. */
const ABORT_GRACE_MS = 40

/** Timeout in milliseconds if the tool's descriptor is unknown, for example after a reload. */
const DEFAULT_TIMEOUT_MS = 60_000

/** Maximum of new decisions about a call whose tool keeps changing before the start. */
const MAX_WITHDRAWALS = 3

/** Commits the calls' start, then runs them. `repeats`: whether they may have run before. */
export async function executeCalls(
  context: CallsContext,
  calls: readonly CallState[],
  { repeats = false }: { readonly repeats?: boolean } = {},
): Promise<void> {
  const allowed = await withoutUnapproved(context, calls, repeats)
  const starts = await withKnownSecrets(context, startsOf(context, allowed, { repeats }))
  if (starts.length === 0) return
  // Checks again at the commit, which may have waited for the storage: a stopped run must start nothing.
  const facts = (run: RunState | null): FactDraft[] | null =>
    context.signal.aborted || !mayStillStart(context, run, starts) ? null : starts.map(startFact)
  const isCommitted = await context.conversation.append(facts, { strict: mustBeStrict(starts) })
  if (!isCommitted) return
  for (const start of starts) await noteStart(context, start)
  const { redacts } = context.conversation
  await runStarts(context, redacts ? withStoredInputs(context, starts) : starts)
}

/**
 * Leaves out calls that lack an approval given in this browser. They are decided again, or interrupted if they may have
 * taken effect.
 */
async function withoutUnapproved(
  context: CallsContext,
  calls: readonly CallState[],
  repeats: boolean,
): Promise<readonly CallState[]> {
  const allowed: CallState[] = []
  for (const call of calls) {
    const tool = context.tools.get(call.toolName)
    if (await mayStart(context, call)) allowed.push(call)
    else {
      const mayHaveBegun = repeats || call.resolvedAs !== null
      const isReplayable = tool && (tool.composite || decidedBy(tool).replayable)
      await decideAnew(context, { call, repeats: mayHaveBegun && !isReplayable })
    }
  }
  return allowed
}

/** Ends calls whose secret values are lost, and returns the others. */
async function withKnownSecrets(
  context: DrivenRun,
  starts: readonly Start[],
): Promise<readonly Start[]> {
  const { secrets } = context.conversation
  const hasSecrets = ({ call, input }: Start): boolean =>
    secrets.restore(call.toolCallId, input) !== null
  const lost = starts.filter((start) => !hasSecrets(start))
  if (lost.length === 0) return starts
  await settleCalls(
    context,
    lost.map(({ call, repeats }) =>
      repeats
        ? { call, status: 'interrupted', output: INTERRUPTED }
        : { call, status: 'failed', output: SECRET_LOST },
    ),
  )
  return starts.filter(hasSecrets)
}

/**
 * Whether all calls may still start. False if a call has ended, or the consent that allowed a call. Such a call, if
 * open, is then decided again.
 */
function mayStillStart(
  { conversation, ready }: CallsContext,
  run: RunState | null,
  starts: readonly Start[],
): boolean {
  const { consents } = conversation.state
  const outdated = starts.filter(
    ({ call, consentId }) =>
      !openCall(run, call) ||
      (consentId !== undefined && !consents.some((consent) => consent.consentId === consentId)),
  )
  for (const { call } of outdated) ready.delete(call.toolCallId)
  return outdated.length === 0
}

/** Replaces inputs with the stored, redacted ones. If a call is repeated, its tool then gets the same input. */
function withStoredInputs({ conversation }: DrivenRun, starts: readonly Start[]): readonly Start[] {
  const { run } = conversation
  const stored = new Map(run?.calls.map(({ toolCallId, input }) => [toolCallId, input]))
  return starts.map((start) => ({
    ...start,
    input: stored.get(start.call.toolCallId) ?? start.input,
  }))
}

/** Asks the page to run calls whose start is committed, and commits each outcome as it arrives. */
export async function runStarts(context: CallsContext, starts: readonly Start[]): Promise<void> {
  if (context.signal.aborted) return withdrawStarts(context, starts)
  await Promise.all(
    starts.map(async (start) => {
      const outcome = await dispatch(context, start)
      if (outcome?.status === 'not-started') await decideAnew(context, start)
      // A call with an unknown outcome stays `executing`, and the loop recovers it (`recoverCall`).
    }),
  )
}

/** Withdraws committed starts that the page was never asked to run, because the run was stopped. */
export async function withdrawStarts(context: DrivenRun, starts: readonly Start[]): Promise<void> {
  const withdrawable = starts.filter(({ repeats }) => !repeats)
  if (withdrawable.length === 0) return
  await context.conversation.append(
    withdrawable.map(({ call: { path } }) => ({ type: 'call-withdrawn', path })),
  )
}

/**
 * Waits for an execution that the page knows: it is still running, or has an outcome that wasn't fetched yet. Returns
 * the outcome if it doesn't settle the call, otherwise null.
 */
export function joinExecution(
  context: CallsContext,
  call: CallState,
  executionId: string,
): Promise<OpenOutcome | null> {
  const { input, mayHaveBegun: repeats, decidedBy: by } = call
  return dispatch(context, { call, executionId, input, repeats, by: by ?? UNKNOWN_TOOL })
}

/** Outcomes that don't settle a call by themselves. */
export type OpenOutcome = Extract<ToolOutcome, { status: 'unknown' | 'not-started' }>

async function dispatch(context: CallsContext, start: Start): Promise<OpenOutcome | null> {
  const { executionId } = start
  context.dispatched.add(executionId)
  const outcome = await Promise.race([
    context.page.executeTool(executionRequest(context, start)),
    whenStopped(context, executionId),
  ])
  if (outcome === null || (stopsWithoutEnd(context.signal) && !FINISHED.has(outcome.status)))
    return null
  context.dispatched.delete(executionId)
  if (outcome.status === 'suspended') await suspend(context, start, outcome)
  else if (!context.signal.aborted && leavesOpen(outcome, start)) return outcome
  else {
    await settleCalls(context, [settlementOf(start, outcome)])
    if (outcome.status === 'succeeded') await noteOutput(context, start, outcome.output)
  }
  // The page may forget the execution now. A lost message does no harm.
  context.page.acknowledgeTools({ executionIds: [executionId] }).catch(() => undefined)
  return null
}

/**
 * Notes in this browser the output that the call's undo may get. Skips joined executions, because their input comes
 * from the rows.
 */
async function noteOutput(
  { conversation: { claims }, runId }: DrivenRun,
  { call, executionId, input, by }: Start,
  output: ToolOutput,
): Promise<void> {
  if (by.undoable && call.executionId !== executionId)
    await claims.note('outputs', effectKey(runId, { ...call, input, output }))
}

/** Suspends the call if it is still executing. */
async function suspend(
  { conversation, runId }: DrivenRun,
  { call: { path, toolCallId }, executionId }: Start,
  suspension: Suspension,
): Promise<void> {
  await conversation.append((run) => {
    const call = run?.runId === runId ? openCall(run, { toolCallId }) : undefined
    const isExecuting = call?.status === 'executing' && call.executionId === executionId
    return isExecuting ? [{ type: 'call-suspended', path, ...suspensionFields(suspension) }] : null
  })
}

function suspensionFields(suspension: Suspension): Omit<FactOf<'call-suspended'>, 'type' | 'path'> {
  if ('seen' in suspension) return { token: '', seen: suspension.seen }
  const { token, until } = suspension
  return { token, ...(until !== undefined && { until }) }
}

function leavesOpen(
  outcome: ToolOutcome,
  { call, executionId, by, repeats }: Start,
): outcome is OpenOutcome {
  if (outcome.status === 'unknown') return true
  if (outcome.status !== 'not-started') return false
  // The reason why a joined execution didn't start may come from an earlier owner.
  if (by.composite && repeats) return true
  return call.executionId === executionId || OUTDATED_REASONS.has(outcome.reason)
}

/** Outcomes that are stored even if this driver was stopped, because the tool itself has finished. */
const FINISHED: ReadonlySet<ToolOutcome['status']> = new Set([
  'succeeded',
  'failed',
  'invalid',
  'suspended',
  'interrupted',
])

/** Handles a call that didn't start because the decision about it is outdated. */
export async function decideAnew(
  context: CallsContext,
  { call, repeats }: Pick<Start, 'call' | 'repeats'>,
): Promise<void> {
  // `repeats`: an earlier execution may have taken effect.
  if (repeats) return settleCalls(context, [{ call, status: 'interrupted', output: INTERRUPTED }])
  // A call that provably didn't start is decided again, with the current tools.
  const { path, toolCallId, toolName } = call
  if (call.withdrawals >= MAX_WITHDRAWALS) {
    return settleCalls(context, [{ call, status: 'failed', output: toolKeptChanging(toolName) }])
  }
  context.tools.set(await context.page.currentTools({ agentId: context.agentId }))
  context.ready.delete(toolCallId)
  await context.conversation.append([{ type: 'call-withdrawn', path }])
}

/** Reasons for not starting that mean an outdated decision about the call. */
const OUTDATED_REASONS: ReadonlySet<NotStartedReason> = new Set([
  'changed',
  'not-registered',
  'unconfirmed',
])

function executionRequest(context: DrivenRun, start: Start): ExecuteTool {
  const { call, executionId, input, by } = start
  const { storeId, epoch, knownAt } = context.conversation.claimed
  const inputWithSecrets = context.conversation.secrets.restore(call.toolCallId, input)
  return {
    ...callContext(context, call, input),
    ...(inputWithSecrets !== null && inputWithSecrets !== input && { inputWithSecrets }),
    executionId,
    idempotencyKey: `${context.runId}:${call.toolCallId}`,
    timeoutMs: context.tools.get(call.toolName)?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    definition: by.definition,
    storeId,
    epoch,
    leasedAt: knownAt,
    ...(call.about?.data !== undefined && { about: call.about.data }),
    ...(call.path.length > 1 && { path: call.path }),
    ...(hasTaintedInput(context.conversation.state, call) && { tainted: true }),
    ...(by.composite && { replayLog: replayLogOf(currentCall(context, call), runCalls(context)) }),
    // The page first processes all earlier deltas, so that the person sees them before the tool runs.
    afterBatch: context.stream.flush(),
  }
}

function runCalls({ conversation }: DrivenRun): readonly CallState[] {
  return conversation.run?.calls ?? []
}

/** The call in its newest stored state. */
function currentCall(context: DrivenRun, call: CallState): CallState {
  return runCalls(context).find(({ toolCallId }) => toolCallId === call.toolCallId) ?? call
}

/** Resolves to null after the run was stopped and the grace period for its tools is over. */
async function whenStopped(
  { signal, page, agentId, effects }: DrivenRun,
  id: string,
): Promise<null> {
  await whenAborted(signal)
  if (!stopsWithoutEnd(signal)) {
    page.cancelTools({ agentId, executionIds: [id], reason: 'stopped' }).catch(() => undefined)
  }
  await effects.sleep(ABORT_GRACE_MS)
  return null
}

/** The properties of a call's tool that are stored with the decision about the call. */
export function decidedBy({
  definition,
  annotations,
  hasReconcile,
  composite,
  hasUndo,
  untrusted,
}: ToolDescriptor): DecidedTool {
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

/** Stands for a tool that is gone: it equals no definition, and counts as not repeatable. */
const UNKNOWN_TOOL: DecidedTool = {
  definition: '',
  replayable: false,
  reconcilable: false,
}

/** Identifies an approval: the run and call, the request, the approved tool and input, and the previous execution. */
function approvalKey({ runId }: DrivenRun, call: CallState): readonly unknown[] {
  const { toolCallId, toolName, decidedBy, askedAt, about, resolvedAs, input, executionId } = call
  const definition = decidedBy?.definition
  return [runId, toolCallId, executionId, toolName, definition, input, about, askedAt, resolvedAs]
}

/** Notes in this browser that the call was approved here. `change`: the fields that the answer changes. */
export async function noteApproval(
  context: DrivenRun,
  call: CallState,
  change: Partial<CallState>,
): Promise<void> {
  const { claims } = context.conversation
  await claims.note('approvals', approvalKey(context, { ...call, ...change }))
}

/** Notes that an approved call has started. The approval now covers only a repetition of this execution. */
async function noteStart(
  context: DrivenRun,
  { call, executionId, input, by: decidedBy }: Start,
): Promise<void> {
  const { claims } = context.conversation
  const approval = approvalKey(context, call)
  if (!(await claims.isNoted('approvals', approval))) return
  await claims.note('approvals', [approval])
  await noteApproval(context, call, { executionId, input, decidedBy })
}

/**
 * Whether a call may start. In a store shared by devices, the rows may come from anybody. So a call that this driver
 * hasn't decided itself needs an approval given in this browser. The approval allows one start.
 */
async function mayStart(context: CallsContext, call: CallState): Promise<boolean> {
  if (context.ready.has(call.toolCallId)) return true
  const approval = approvalKey(context, call)
  return context.conversation.claims.isNoted('approvals', approval, [approval])
}

/** Identifies the effect to undo. In a shared store, others may have written the call, its input or its output. */
export function effectKey(
  runId: string,
  { toolCallId, toolName, input, output }: CallState,
): readonly unknown[] {
  return [runId, toolCallId, toolName, input, output]
}

/** Maximum of calls that run in parallel. */
export const MAX_PARALLEL = 4

/** The calls to run next: the first one, and those directly after it that may run in parallel. */
export function nextGroup(open: readonly CallState[]): readonly CallState[] {
  const first = open[0]
  if (!first?.parallel) return open.slice(0, 1)
  const end = open.findIndex((call) => !call.parallel || !RUNNABLE.has(call.status))
  return open.slice(0, Math.min(end === -1 ? open.length : end, MAX_PARALLEL))
}

const RUNNABLE: ReadonlySet<CallState['status']> = new Set(['proposed', 'approved'])

/** A call that is about to start on the page. */
export interface Start {
  readonly call: CallState
  readonly executionId: string
  readonly input: JsonValue
  readonly by: DecidedTool
  /** Whether an earlier execution may have taken effect. */
  readonly repeats: boolean
  /** Id of the consent that allows the call without approval. */
  readonly consentId?: string
}

/**
 * Starts for the calls. The tool's properties come from this driver's decision, the stored decision or the current
 * tool, whichever exists first.
 */
export function startsOf(
  context: CallsContext,
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
      by: ready?.by ?? call.decidedBy ?? (tool ? decidedBy(tool) : UNKNOWN_TOOL),
      repeats: repeats || call.resolvedAs !== null,
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

/**
 * Whether the commit must reach the disk before the calls start. After a crash, a missing row would let a
 * non-repeatable call run twice.
 */
export function mustBeStrict(starts: readonly Start[]): boolean {
  return starts.some(({ by }) => !by.replayable && !by.composite)
}
