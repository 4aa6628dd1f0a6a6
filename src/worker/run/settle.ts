import { headId } from '../../conversation/tree.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { withNextStep } from './decide.ts'
import type { DrivenRun } from './run-context.ts'
import type { PlanItem } from '../../protocol/fact.ts'
import type { CallError, ToolOutput } from '../../protocol/message.ts'
import type { SkillText } from '../../protocol/page-calls.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { Effects } from '../effects.ts'

export function errorOutput(error: CallError): ToolOutput {
  return { type: 'error', code: error.code, message: error.message }
}

/** The error that the model gets for a call that could not be read. */
export function unreadable(call: CallState & { readonly error: CallError }): CallError {
  const { code, message } = call.error
  if (code === 'invalid-json')
    return {
      code,
      message: `The arguments of ${call.toolName} are not valid JSON, so it did not run. ${message}`,
    }
  if (code !== 'truncated') return call.error
  return {
    code,
    message: `The call of ${call.toolName} was cut off, so it did not run. ${message} Send it again, with shorter arguments if they were long.`,
  }
}

export const INTERRUPTED: ToolOutput = errorOutput({
  code: 'interrupted',
  message:
    'The call was interrupted and its outcome is unknown: it may or may not have happened. Check before you do it again.',
})

export const ABORTED: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'The run was stopped before this call ran.',
})

/**
 * Output of valid calls in a step with an invalid call, in one-shot mode. The page gets no call of the step before the
 * model corrects the invalid one.
 */
export const BESIDE_INVALID: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'Another call is invalid, so it did not run.',
})

/** Output of a call that was running when the run ended, and whose tool is safe to repeat. */
const CUT_OFF: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'The run was stopped. The tool was running; it may or may not have taken effect.',
})

/** Output of a call that was suspended when the run ended. */
const WAITED: ToolOutput = errorOutput({
  code: 'aborted',
  message: 'The run no longer waited for the outcome. What it began may or may not take effect.',
})

/** Output of a call whose secret value is no longer in memory. Secrets are never stored. */
export const SECRET_LOST: ToolOutput = errorOutput({
  code: 'not-kept',
  message:
    'A secret of this call was not kept, so it did not run. Call again with it, or ask the person for it.',
})

/** Output of a suspended call that missed the deadline `until`, in milliseconds since 1970. */
function overdueOutput(until: number): ToolOutput {
  const time = new Date(until)
  const deadline = Number.isNaN(time.getTime()) ? '' : ` by ${time.toISOString()}`
  return errorOutput({
    code: 'timeout',
    message: `The outcome has not come${deadline}. What it began may or may not take effect.`,
  })
}

/** `isInOtherTab`: whether another open tab has registered the tool. */
export function notRegistered(toolName: string, isInOtherTab: boolean): ToolOutput {
  const availability = isInOtherTab
    ? `not available in this tab, but in another one that is open: the person can resume there. The call did not run.`
    : `no longer available on this page, so the call did not run.`
  return errorOutput({ code: 'failed', message: `The tool '${toolName}' is ${availability}` })
}

/** Output of a call that started before this page was loaded, and whose tool is gone. */
export function toolGone(toolName: string): ToolOutput {
  return errorOutput({
    code: 'interrupted',
    message: `The call was interrupted, and the tool '${toolName}' is no longer available on this page: it may or may not have happened.`,
  })
}

/** Output of a call whose tool's definition changed before every start. */
export function toolKeptChanging(toolName: string): ToolOutput {
  return errorOutput({
    code: 'failed',
    message: `The tool '${toolName}' kept changing, so it did not run.`,
  })
}

export const TOO_LATE: ToolOutput = errorOutput({
  code: 'timeout',
  message: 'The page was too busy to start the tool in time, so it did not run.',
})

/** Output of a composite call whose tool has changed since the call began. */
export const WORKFLOW_CHANGED: ToolOutput = errorOutput({
  code: 'workflow-changed',
  message:
    'The tool has changed since this call began, so it stopped. What it had done stays done. Check before you do it again.',
})

export function nestedTooDeep(toolName: string): CallError {
  return {
    code: 'failed',
    message: `Tools call each other too deeply, so '${toolName}' did not run.`,
  }
}

export function notForTools(toolName: string): CallError {
  return { code: 'failed', message: `Only the model can call '${toolName}'.` }
}

export interface Settlement {
  readonly call: CallState
  readonly status: SettledStatus
  readonly output: ToolOutput
  readonly note?: string
  /** The plan that the call makes. */
  readonly plan?: readonly PlanItem[]
  /** The skill that the call activates. */
  readonly skill?: SkillText
  /** Source of untrusted content in the output, if the tool itself isn't marked as untrusted. */
  readonly untrusted?: string
}

/**
 * Facts for the call's end and the taint of its output. One commit stores both, so that no request has untrusted
 * content without its taint. `after`: id of the head.
 */
export function settledFacts(settlement: Settlement, after: string | null): FactDraft[] {
  return [...taintFacts(settlement, after), settledFact(settlement)]
}

/** Marks a call's output as untrusted. A call that never started returns our own text, which is trusted. */
export function taintFacts(
  { call, status, output, untrusted }: Settlement,
  after: string | null,
): FactDraft[] {
  const source = call.untrusted ?? untrusted
  const origin = call.decidedBy?.untrusted ?? source
  const isReturned = (status === 'succeeded' || status === 'failed') && output.type !== 'denied'
  const hasBegun = call.executionId !== null || source !== undefined
  if (origin === undefined || !isReturned || !hasBegun) return []
  const { path, title } = call
  return [{ type: 'context-tainted', after, origin, path, ...(title !== null && { title }) }]
}

export function settledFact({ call, status, output, note }: Settlement): FactDraft {
  const { path } = call
  // The call's note includes those of its nested calls.
  const notes = [call.note, note].filter(Boolean).join('\n')
  return { type: 'call-settled', path, status, output, ...(notes && { note: notes }) }
}

/** The end of a call that is still open when the run ends: it didn't run, or its outcome is unknown. */
export function settlementAtEnd(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  if (call.status === 'suspended') return [{ call, status: 'aborted', output: WAITED }]
  // `resolvedAs`: a person decided that the call runs again, and it hasn't run again yet.
  const isUnknown =
    call.status === 'executing' || call.status === 'awaiting-decision' || call.resolvedAs !== null
  return isUnknown && !call.decidedBy?.replayable
    ? [{ call, status: 'interrupted', output: INTERRUPTED }]
    : [{ call, status: 'aborted', output: isUnknown ? CUT_OFF : ABORTED }]
}

/** Maximum time between two checks of the clock. Timers stop while a computer sleeps, and ignore clock changes. */
const MAX_SLEEP_MS = 60_000

/** Whether the deadline for the call's outcome has passed. `now`: milliseconds since 1970. */
export function isOverdue(call: CallState, now: number): boolean {
  return deadlineOf(call) <= now
}

/** Ends the calls whose deadline has passed. Returns false if there are none. */
export async function settleOverdue(context: DrivenRun, run: RunState): Promise<boolean> {
  if (run.paused !== null) return false
  const now = context.effects.now()
  const overdueCalls = run.calls.filter((call) => isOverdue(call, now))
  await settleCalls(
    context,
    overdueCalls.map((call) => ({
      call,
      status: 'failed',
      output: overdueOutput(deadlineOf(call)),
    })),
  )
  return overdueCalls.length > 0
}

/** Resolves to true once a call is overdue, or to false if no call has a deadline or the signal aborts. */
export async function whenOverdue(
  { now, sleep }: Pick<Effects, 'now' | 'sleep'>,
  { calls, paused }: RunState,
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = Math.min(...calls.map(deadlineOf))
  if (deadline === Infinity || paused !== null) return false
  while (!signal.aborted) {
    const remainingMs = deadline - now()
    if (remainingMs <= 0) return true
    await sleep(Math.min(remainingMs, MAX_SLEEP_MS), signal)
  }
  return false
}

/** Deadline for the call's outcome, in milliseconds since 1970. `Infinity`: none. */
function deadlineOf({ status, suspended }: CallState): number {
  if (status !== 'suspended' || suspended === null || !('token' in suspended)) return Infinity
  return suspended.until ?? Infinity
}

/**
 * The stored call, if it is still open. A nested call may have ended with its composite tool, even while a hook decides
 * about it.
 */
export function openCall(
  run: RunState | null,
  { toolCallId }: Pick<CallState, 'toolCallId'>,
): CallState | undefined {
  return run?.calls.find((call) => call.toolCallId === toolCallId && !isSettled(call))
}

/** Commits the ends of calls in one transaction. Skips calls that have ended, and does nothing if the run has. */
export async function settleCalls(
  { conversation, runId, page, agentId, family }: DrivenRun,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return
  let executionIds: readonly string[] = []
  const isNew = await conversation.append((run) => {
    if (run?.runId !== runId || run.end !== null) return null
    // Uses the stored call, because the caller's copy may be older than the call's start.
    const ends = settlements.flatMap((settlement) => {
      const call = openCall(run, settlement.call)
      return call ? { ...settlement, call } : []
    })
    if (ends.length === 0) return null
    const nestedEnds = ends.flatMap(({ call }) => nestedSettlements(call, run.calls))
    executionIds = nestedEnds.flatMap(
      ({ call }) => (call.status === 'executing' ? call.executionId : null) ?? [],
    )
    const allEnds = [...nestedEnds, ...ends]
    const plan = allEnds.findLast((settlement) => settlement.plan)?.plan
    const after = headId(conversation.state)
    return [
      ...(plan ? [{ type: 'plan-changed', after, plan } as const] : []),
      ...allEnds.flatMap(({ call: { path }, skill }) =>
        skill ? [{ type: 'skill-activated', after, ...skill, path } as const] : [],
      ),
      ...family.usageOf(nestedEnds.map(({ call }) => call)),
      ...withNextStep(
        conversation,
        allEnds.flatMap((settlement) => settledFacts(settlement, after)),
      ),
    ]
  })
  if (isNew && executionIds.length > 0)
    page.cancelTools({ agentId, executionIds, reason: 'it ended' }).catch(() => undefined)
}

/** Ends of the open nested calls of a call. They end together with the call. */
function nestedSettlements({ toolCallId }: CallState, calls: readonly CallState[]): Settlement[] {
  return calls.flatMap((call) =>
    call.path.slice(0, -1).includes(toolCallId) ? settlementAtEnd(call) : [],
  )
}
