import type { ToolDescriptor } from '../protocol/tool.ts'
import type { Drive, Settlement } from './drive.ts'
import { notRegistered } from './tool-errors.ts'
import type { CallState } from '../protocol/state.ts'

/** A call's tool, waited for only after a reload. */
export async function availableTool(
  drive: Drive,
  call: CallState,
): Promise<ToolDescriptor | undefined> {
  return drive.tools.get(call.toolName) ?? (await waitForTool(drive, call))
}

/** The end of a call whose tool is not there. */
export async function unavailable(drive: Drive, call: CallState): Promise<Settlement> {
  const { toolName } = call
  const output = notRegistered(toolName, await drive.isElsewhere(toolName))
  return { call, status: 'failed', output }
}

/**
 * Waits until the page registers a call's tool; undefined when it doesn't within `waitForToolsMs`
 * or the run is stopped. After a reload, tools are often registered later than runs are resumed.
 */
async function waitForTool(drive: Drive, call: CallState): Promise<ToolDescriptor | undefined> {
  const { path, toolName } = call
  const { runId } = drive
  const deadline = drive.effects.monotonic() + (drive.resume?.waitForToolsMs ?? 0)
  let told = false
  for (;;) {
    const changed = new AbortController()
    drive.tools.onChange(() => changed.abort())
    drive.tools.set(await drive.page.currentTools({ agentId: drive.agentId }))
    const tool = drive.tools.get(toolName)
    const left = deadline - drive.effects.monotonic()
    if (tool || left <= 0 || drive.signal.aborted) return tool
    if (!told) {
      told = true
      drive.stream.delta({ type: 'tool-unavailable', runId, path, toolName, waitMs: left })
      drive.stream.flush()
    }
    await drive.effects.sleep(left, AbortSignal.any([changed.signal, drive.signal]))
  }
}
