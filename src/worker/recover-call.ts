import { isCallLooping } from '../conversation/crash-loop.ts'
import type { CallState } from '../protocol/state.ts'
import { callContext, settle, type Drive } from './drive.ts'
import { executeCalls, joinExecution, withdraw } from './execute-calls.ts'
import { goneMeanwhile, INTERRUPTED } from './tool-errors.ts'
import { availableTool, unavailable } from './wait-for-tool.ts'

/**
 * A call that the facts say was executing, and nobody here drives: the crash table. The page is
 * asked first, since it may have outlived the worker or the agent: what it was asked for and doesn't
 * know never ran, and what it knows is joined. Only then is anything run again or given up.
 */
export async function recoverCall(drive: Drive, call: CallState): Promise<void> {
  const executionId = call.executionId ?? ''
  const known = await drive.page.knownExecutions({ executionIds: [executionId] })
  if (known.includes(executionId)) {
    const outcome = await joinExecution(drive, call, executionId)
    if (outcome === null || drive.signal.aborted) return
    drive.page.acknowledgeTools({ executionIds: [executionId] }).catch(() => undefined)
    if (outcome.status === 'unknown') {
      return goByTable(drive, call, { running: outcome.running, output: outcome.output })
    }
  } else if (!executionId.startsWith(`${drive.pageId}:`))
    return goByTable(drive, call, NOBODY_KNOWS)
  // Proven not to have begun.
  if (isLooping(drive, call)) return goByTable(drive, call, NOBODY_KNOWS)
  return runUndone(drive, call, call.mayHaveBegun)
}

const NOBODY_KNOWS = { running: false, output: INTERRUPTED }

/** `running`: the tool's function goes on even now, so that nobody can say what will have become of it. */
async function goByTable(
  drive: Drive,
  call: CallState,
  { running, output }: { readonly running: boolean; readonly output: typeof INTERRUPTED },
): Promise<void> {
  if (call.decidedBy?.replayable && !isLooping(drive, call) && (await repeat(drive, call))) return
  if (call.decidedBy?.reconcilable && !running && (await reconcile(drive, call))) return
  if (drive.resume?.interrupted === 'ask') return ask(drive, call)
  await settle(drive, [{ call, status: 'interrupted', output }])
}

function isLooping({ effects, resume }: Drive, call: CallState): boolean {
  return resume?.afterCrash !== false && isCallLooping(call, effects.now())
}

/**
 * Runs a call whose newest execution is proven not to have begun; when its tool is another one now, it is
 * decided anew, unless an earlier execution may have had its effect (`repeats`).
 */
async function runUndone(drive: Drive, call: CallState, repeats: boolean): Promise<void> {
  const tool = await availableTool(drive, call)
  if (drive.signal.aborted) return
  if (!tool) {
    return settle(drive, [
      repeats
        ? { call, status: 'interrupted', output: goneMeanwhile(call.toolName) }
        : await unavailable(drive, call),
    ])
  }
  if (tool.definition === call.decidedBy?.definition) return executeCalls(drive, [call], repeats)
  if (repeats) return settle(drive, [{ call, status: 'interrupted', output: INTERRUPTED }])
  return withdraw(drive, call)
}

/** False when the tool is another one now, which may not be safe to repeat. */
async function repeat(drive: Drive, call: CallState): Promise<boolean> {
  const tool = await availableTool(drive, call)
  if (drive.signal.aborted) return true
  if (!tool) {
    const output = goneMeanwhile(call.toolName)
    await settle(drive, [{ call, status: 'interrupted', output }])
    return true
  }
  if (tool.definition !== call.decidedBy?.definition) return false
  await executeCalls(drive, [call], true)
  return true
}

/** True when the tool knew what became of the call, or the run was stopped meanwhile. */
async function reconcile(drive: Drive, call: CallState): Promise<boolean> {
  const tool = await availableTool(drive, call)
  if (drive.signal.aborted) return true
  if (!tool?.hasReconcile) return false
  const verdict = await drive.page.reconcileTool({
    ...callContext(drive, call, call.input),
    idempotencyKey: `${drive.runId}:${call.toolCallId}`,
    epoch: drive.conversation.lease.epoch,
  })
  switch (verdict.type) {
    case 'happened':
      await settle(drive, [{ call, status: 'succeeded', output: verdict.output }])
      return true
    case 'did-not-happen':
      if (isLooping(drive, call)) return false
      await runUndone(drive, call, false)
      return true
    case 'unknown':
      return false
    default:
      return verdict satisfies never
  }
}

async function ask(drive: Drive, call: CallState): Promise<void> {
  await drive.conversation.append([{ type: 'call-interrupted', path: call.path }])
}
