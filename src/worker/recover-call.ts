import { isCallLooping } from './crash-loop.ts'
import { callContext, settle, type Drive } from './drive.ts'
import { executeCalls, joinExecution } from './execute-calls.ts'
import type { CallState } from './state.ts'
import { INTERRUPTED, notRegistered } from './tool-errors.ts'
import { availableTool } from './wait-for-tool.ts'

/**
 * A call that the journal says was executing, and nobody here drives: the crash table. The page is
 * asked first, since it may have outlived the worker: what it was asked for and doesn't know never
 * ran. Only then is anything run again or given up.
 */
export async function recoverCall(drive: Drive, call: CallState): Promise<void> {
  const executionId = call.executionId ?? ''
  const known = await drive.page.knownExecutions([executionId])
  if (known.includes(executionId)) return joinExecution(drive, call, executionId)
  const neverRan = executionId.startsWith(`${drive.pageId}:`)
  const isLooping = isCallLooping(call, drive.effects.now())
  if ((call.replayable || neverRan) && !isLooping) return runAgain(drive, call)
  if (call.reconcilable && (await reconcile(drive, call))) return
  if (drive.resume?.interrupted === 'ask') return ask(drive, call)
  await settle(drive, [{ call, status: 'interrupted', output: INTERRUPTED }])
}

async function runAgain(drive: Drive, call: CallState): Promise<void> {
  const tool = await availableTool(drive, call)
  if (drive.signal.aborted) return
  if (tool) return executeCalls(drive, [call], new Map())
  await settle(drive, [{ call, status: 'failed', output: notRegistered(call.toolName) }])
}

/** True when the tool knew what became of the call, or the run was stopped meanwhile. */
async function reconcile(drive: Drive, call: CallState): Promise<boolean> {
  const tool = await availableTool(drive, call)
  if (drive.signal.aborted) return true
  if (!tool?.hasReconcile) return false
  const verdict = await drive.page.reconcileTool({
    ...callContext(drive, call, call.input),
    idempotencyKey: `${drive.runId}:${call.toolCallId}`,
  })
  switch (verdict.type) {
    case 'happened':
      await settle(drive, [{ call, status: 'succeeded', output: verdict.output }])
      return true
    case 'did-not-happen':
      if (isCallLooping(call, drive.effects.now())) return false
      await executeCalls(drive, [call], new Map())
      return true
    case 'unknown':
      return false
    default:
      return verdict satisfies never
  }
}

async function ask(drive: Drive, call: CallState): Promise<void> {
  const { toolCallId, toolName, input } = call
  await drive.conversation.append([{ type: 'call-interrupted', toolCallId }])
  drive.events.push({ type: 'tool-interrupted', toolCallId, toolName, input })
}
