import { OffstageError } from '../protocol/error.ts'
import { toOffstageError } from './failures.ts'
import type { RunHandle } from './run-handle.ts'
import type { RunParts } from './run-parts.ts'
import { sendAbort } from './send-abort.ts'
import type { Trial } from './suspects.ts'

/** How long a run that lost its worker waits for its tools to be registered. Milliseconds. */
const WAIT_FOR_TOOLS_MS = 10_000

/**
 * Open runs that were lost with a worker. Runs that are still starting are left out: the next worker gets them anyway.
 */
export function lostRuns({ runs }: RunParts): RunHandle[] {
  return [...runs.open.values()].filter(({ run }) => !runs.starting.has(run.runId))
}

/** Sends a new worker the aborts that no worker has received yet. */
export function sendAborts(agent: RunParts): void {
  for (const runId of agent.runs.aborts.keys()) sendAbort(agent, runId).catch(() => {})
}

export interface TakingUp {
  /** Resolves once no agent of the page is aborting the run. */
  aborted(runId: string): Promise<unknown>
  isLive(): boolean
  readonly tryOut?: (runId: string) => Trial
}

/**
 * Resumes runs on a new worker, one after the other, so that queued runs stay behind earlier ones. Stops when that
 * worker is lost, too: the next worker gets the rest.
 */
export async function takeUpRuns(
  agent: RunParts,
  handles: readonly RunHandle[],
  { aborted, isLive, tryOut }: TakingUp,
): Promise<void> {
  const { runs } = agent
  for (const handle of handles) {
    const { runId } = handle.run
    await aborted(runId)
    if (!isLive()) return
    if (handle.abortReason !== undefined || !runs.open.has(runId)) continue
    const trial = tryOut?.(runId)
    try {
      await takeUpRun(agent, handle)
      if (trial) await Promise.race([trial.over, handle.run.result])
    } catch (thrown) {
      const error = toOffstageError(thrown)
      if (error.code === 'worker-lost') return
      handle.end({ outcome: 'failed', error: error.toData() })
    } finally {
      trial?.end()
    }
    if (trial?.isLost) return
  }
}

async function takeUpRun(agent: RunParts, handle: RunHandle): Promise<void> {
  const { askOnce, scope } = agent
  const { runId, conversationId } = handle.run
  const at = { ...scope(), conversationId }
  const stored = await askOnce('getConversation', at)
  // A run whose first commit is waiting for storage space isn't stored yet.
  const isTold = handle.events.some(({ type }) => type !== 'run-parked' && type !== 'run-continued')
  const begun = isTold || stored?.openRunId === runId
  if (!begun && resendStart(agent, handle)) return
  const ref = await askOnce('resumeRun', {
    ...at,
    runId,
    interrupted: 'tell-model',
    // The page hasn't crashed. `Restarts` counts the worker's deaths.
    afterCrash: false,
    waitForToolsMs: WAIT_FOR_TOOLS_MS,
    // Resumes the run even if a call waits for it: this agent has driven it before.
    asChild: true,
  })
  if (ref?.runId === runId) return
  const error = new OffstageError(
    'worker-lost',
    'The worker died, and its successor found no such run in the store.',
  )
  handle.end({ outcome: 'failed', error: error.toData() })
}

/** Sends a new worker a run that the old one never began. False if the run wasn't started here. */
function resendStart({ runs }: RunParts, handle: RunHandle): boolean {
  const command = runs.commands.get(handle.run.runId)
  if (command) runs.send(handle, command)
  return command !== undefined
}
