import { isCallLooping } from '../../conversation/crash-loop.ts'
import type { CallState } from '../../protocol/state.ts'
import { callContext, type CallsContext, type DrivenRun } from './run-context.ts'
import {
  toolGone,
  INTERRUPTED,
  notRegistered,
  settleCalls,
  type Settlement,
  WORKFLOW_CHANGED,
} from './settle.ts'
import { decideAnew, executeCalls, joinExecution } from './execute-calls.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

/** A call's tool. After a reload, waits for the page to register it. */
export async function availableTool(
  context: CallsContext,
  call: CallState,
): Promise<ToolDescriptor | undefined> {
  return context.tools.get(call.toolName) ?? (await waitForTool(context, call))
}

/** The end of a call whose tool isn't registered. `repeats`: whether the call may have run before. */
export async function unavailable(
  context: CallsContext,
  call: CallState,
  repeats: boolean = call.resolvedAs !== null,
): Promise<Settlement> {
  const { toolName } = call
  if (repeats) return { call, status: 'interrupted', output: toolGone(toolName) }
  const output = notRegistered(toolName, await context.isInOtherTab(toolName))
  return { call, status: 'failed', output }
}

/**
 * Waits until the page registers a call's tool: after a reload, runs are often resumed before tools are registered.
 * Undefined if `waitForToolsMs` are over, or the run was stopped.
 */
async function waitForTool(
  context: CallsContext,
  call: CallState,
): Promise<ToolDescriptor | undefined> {
  const { path, toolName } = call
  const { runId } = context
  const deadline = context.effects.monotonic() + (context.resume?.waitForToolsMs ?? 0)
  let isAnnounced = false
  for (;;) {
    const toolsChanged = new AbortController()
    context.tools.onChange(() => toolsChanged.abort())
    context.tools.set(await context.page.currentTools({ agentId: context.agentId }))
    const tool = context.tools.get(toolName)
    const remainingMs = deadline - context.effects.monotonic()
    if (tool || remainingMs <= 0 || context.signal.aborted) return tool
    if (!isAnnounced) {
      isAnnounced = true
      context.stream.pushDelta({
        type: 'tool-unavailable',
        runId,
        path,
        toolName,
        waitMs: remainingMs,
      })
      context.stream.flush()
    }
    await context.effects.sleep(remainingMs, AbortSignal.any([toolsChanged.signal, context.signal]))
  }
}

/**
 * Recovers a call that is stored as executing, but that this driver isn't running (the crash table).
 *
 * Asks the page first, which may have outlived the worker. If the page knows the execution, waits for its outcome. If
 * the execution has this page's id but the page doesn't know it, it never started. Otherwise, the call is repeated or
 * given up.
 */
export async function recoverCall(context: CallsContext, call: CallState): Promise<void> {
  const executionId = call.executionId ?? ''
  const knownIds = await context.page.knownExecutions({ executionIds: [executionId] })
  if (knownIds.includes(executionId)) {
    const outcome = await joinExecution(context, call, executionId)
    if (outcome === null || context.signal.aborted) return
    context.page.acknowledgeTools({ executionIds: [executionId] }).catch(() => undefined)
    if (outcome.status === 'unknown') {
      return applyCrashTable(context, call, { running: outcome.running, output: outcome.output })
    }
  } else if (!executionId.startsWith(`${context.pageId}:`))
    return applyCrashTable(context, call, UNKNOWN_OUTCOME)
  // The execution provably didn't start.
  if (isLooping(context, call)) return applyCrashTable(context, call, UNKNOWN_OUTCOME)
  if (call.decidedBy?.composite && call.mayHaveBegun) return runAgain(context, call)
  return runUnstarted(context, call, { repeats: call.mayHaveBegun })
}

const UNKNOWN_OUTCOME = { running: false, output: INTERRUPTED }

/**
 * Applies the crash table. `running`: the tool's function is still running, so it is too early to reconcile the call.
 */
async function applyCrashTable(
  context: CallsContext,
  call: CallState,
  { running, output }: { readonly running: boolean; readonly output: typeof INTERRUPTED },
): Promise<void> {
  if (call.decidedBy?.composite) return runAgain(context, call)
  if (call.decidedBy?.replayable && !isLooping(context, call) && (await repeat(context, call)))
    return
  if (call.decidedBy?.reconcilable && !running && (await reconcile(context, call))) return
  if (context.resume?.interrupted === 'ask') return requestDecision(context, call)
  await settleCalls(context, [{ call, status: 'interrupted', output }])
}

/**
 * Runs a composite tool's function again, with its stored outcomes. Instead ends the call as interrupted if it keeps
 * crashing, or if the tool has changed or is gone.
 */
export async function runAgain(context: CallsContext, call: CallState): Promise<void> {
  if (isLooping(context, call))
    return settleCalls(context, [{ call, status: 'interrupted', output: INTERRUPTED }])
  const tool = await availableTool(context, call)
  if (context.signal.aborted) return
  if (tool && tool.definition === call.decidedBy?.definition)
    return executeCalls(context, [call], { repeats: true })
  const output = tool ? WORKFLOW_CHANGED : toolGone(call.toolName)
  return settleCalls(context, [{ call, status: 'interrupted', output }])
}

function isLooping({ effects, resume }: CallsContext, call: CallState): boolean {
  return resume?.afterCrash !== false && isCallLooping(call, effects.now())
}

/**
 * Runs a call whose newest execution provably didn't start. If its tool has changed, the call is decided again. With
 * `repeats` (an earlier execution may have taken effect), it is interrupted instead.
 */
async function runUnstarted(
  context: CallsContext,
  call: CallState,
  { repeats }: { readonly repeats: boolean },
): Promise<void> {
  const tool = await availableTool(context, call)
  if (context.signal.aborted) return
  if (!tool) return settleCalls(context, [await unavailable(context, call, repeats)])
  if (tool.definition === call.decidedBy?.definition)
    return executeCalls(context, [call], { repeats })
  return decideAnew(context, { call, repeats })
}

/** Runs the call again. Returns false if the tool has changed, because the new tool might not be safe to repeat. */
async function repeat(context: CallsContext, call: CallState): Promise<boolean> {
  const tool = await availableTool(context, call)
  if (context.signal.aborted) return true
  if (!tool) {
    await settleCalls(context, [await unavailable(context, call, true)])
    return true
  }
  if (tool.definition !== call.decidedBy?.definition) return false
  await executeCalls(context, [call], { repeats: true })
  return true
}

/** Asks the tool whether the call happened. Returns true if the call is handled, or the run was stopped meanwhile. */
async function reconcile(context: CallsContext, call: CallState): Promise<boolean> {
  const tool = await availableTool(context, call)
  if (context.signal.aborted) return true
  if (!tool?.hasReconcile) return false
  const verdict = await context.page.reconcileTool({
    ...callContext(context, call, call.input),
    idempotencyKey: `${context.runId}:${call.toolCallId}`,
    epoch: context.conversation.claimed.epoch,
  })
  switch (verdict.type) {
    case 'happened':
      await settleCalls(context, [{ call, status: 'succeeded', output: verdict.output }])
      return true
    case 'did-not-happen':
      if (isLooping(context, call)) return false
      await runUnstarted(context, call, { repeats: false })
      return true
    case 'unknown':
      return false
    default:
      return verdict satisfies never
  }
}

async function requestDecision(context: DrivenRun, call: CallState): Promise<void> {
  await context.conversation.append([{ type: 'call-interrupted', path: call.path }])
}
