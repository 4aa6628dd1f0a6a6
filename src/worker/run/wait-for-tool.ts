import type { ToolDescriptor } from '../../protocol/tool.ts'
import type { RunContext } from './run-context.ts'
import type { Settlement } from './settlement.ts'
import { notRegistered } from './tool-errors.ts'
import type { CallState } from '../../protocol/state.ts'

/** A call's tool. After a reload, waits for the page to register it. */
export async function availableTool(
  context: RunContext,
  call: CallState,
): Promise<ToolDescriptor | undefined> {
  return context.tools.get(call.toolName) ?? (await waitForTool(context, call))
}

/** The end of a call whose tool isn't registered. */
export async function unavailable(context: RunContext, call: CallState): Promise<Settlement> {
  const { toolName } = call
  const output = notRegistered(toolName, await context.isElsewhere(toolName))
  return { call, status: 'failed', output }
}

/**
 * Waits until the page registers a call's tool. Undefined: it didn't within `waitForToolsMs`, or the run was stopped.
 * After a reload, runs are often resumed before tools are registered.
 */
async function waitForTool(
  context: RunContext,
  call: CallState,
): Promise<ToolDescriptor | undefined> {
  const { path, toolName } = call
  const { runId } = context
  const deadline = context.effects.monotonic() + (context.resume?.waitForToolsMs ?? 0)
  let isAnnounced = false
  for (;;) {
    const changed = new AbortController()
    context.tools.onChange(() => changed.abort())
    context.tools.set(await context.page.currentTools({ agentId: context.agentId }))
    const tool = context.tools.get(toolName)
    const left = deadline - context.effects.monotonic()
    if (tool || left <= 0 || context.signal.aborted) return tool
    if (!isAnnounced) {
      isAnnounced = true
      context.stream.delta({ type: 'tool-unavailable', runId, path, toolName, waitMs: left })
      context.stream.flush()
    }
    await context.effects.sleep(left, AbortSignal.any([changed.signal, context.signal]))
  }
}
