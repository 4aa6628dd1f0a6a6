import { storageKey } from '../protocol/conversation.ts'
import { OffstageError } from '../protocol/error.ts'
import { createAgentPage } from './agent-page.ts'
import type { AgentParts } from './agent-parts.ts'
import { usableDefinition } from './describe-tools.ts'
import type { RunHandle } from './run-handle.ts'
import { toOffstageError } from './failures.ts'
import { noteAsked } from './note-asked.ts'
import { failCrashedRun, resendAborts, resendStart } from './run-line.ts'
import type { Trial } from './suspects.ts'
import type { LinkedAgent } from './worker-link.ts'

/** How long a run that lost its worker waits for its tools. Milliseconds. */
const WAIT_FOR_TOOLS_MS = 10_000

/** An agent as its worker, its supervision and its tools' executions see it. */
export function createLinkedAgent(agent: AgentParts): LinkedAgent {
  const { ambient, consent, lists, registry, runs, signal, options } = agent
  const policy = options.toolApproval ?? 'destructive'
  return {
    agentId: agent.scope().agentId,
    page: createAgentPage(options, agent),
    onRow: (row) => noteAsked(consent.asked, row),
    onListChange(storage) {
      if (storage === undefined || storage === storageKey(agent.scope().storage))
        for (const list of lists) list.changed()
    },
    onNotice: ambient.emit,
    hasOpenWork: () => !signal.aborted && runs.open.size + runs.aborts.size > 0,
    lostRuns: () => [...runs.open.values()].filter(({ run }) => !runs.starting.has(run.runId)),
    resendAborts: () => resendAborts(agent),
    takeUp: (handles, tryOut) => takeUpRuns(agent, handles, tryOut),
    failCrashedRun: (runId, error) => failCrashedRun(agent, runId, error),
    giveUp: (error) => runs.endAll({ outcome: 'failed', error: error.toData() }),
    releaseEngines() {
      for (const engine of options.engines ?? []) engine.release(agent.scope().agentId)
    },
    findTool: ({ toolName }) => registry.get(toolName),
    definitionOf: (tool) => usableDefinition(tool, registry, policy),
    confirmLease: ({ conversationId, epoch }) =>
      agent.ask('confirmLease', { ...agent.scope(), conversationId, epoch }),
    isAborted: (runId) => runs.open.get(runId)?.abortReason !== undefined,
    hooks: ({ runId, conversationId, toolCallId }) => ({
      afterToolCall: options.afterToolCall,
      progress: (progress) =>
        agent.link().report({
          type: 'tool-progress',
          ...agent.scope(),
          conversationId,
          runId,
          path: [toolCallId],
          progress,
        }),
      warn: (message) => ambient.emit({ type: 'warning', code: 'hook-failed', message }),
    }),
  }
}

/**
 * Goes on with runs on a new worker, one after the other: a queued one comes second. Ends
 * when that worker is lost, too: the runs are the next one's then.
 */
async function takeUpRuns(
  agent: AgentParts,
  handles: readonly RunHandle[],
  tryOut?: (runId: string) => Trial,
): Promise<void> {
  const { runs } = agent
  for (const handle of handles) {
    const { runId } = handle.run
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

async function takeUpRun(agent: AgentParts, handle: RunHandle): Promise<void> {
  const { link, scope, signal } = agent
  const { askOnce } = link().line(scope().agentId, signal)
  const { runId, conversationId } = handle.run
  const at = { ...scope(), conversationId }
  const stored = await askOnce('getConversation', at)
  // A run whose first commit waited for room in the storage is in no journal.
  const isTold = handle.events.some(({ type }) => type !== 'run-parked' && type !== 'run-continued')
  const begun = isTold || stored?.openRunId === runId
  if (!begun && resendStart(agent, handle)) return
  const ref = await askOnce('resumeRun', {
    ...at,
    runId,
    interrupted: 'tell-model',
    // The page lives: what its worker died of is counted by restarts.
    afterCrash: false,
    waitForToolsMs: WAIT_FOR_TOOLS_MS,
  })
  if (ref?.runId === runId) return
  const error = new OffstageError(
    'worker-lost',
    'The worker died, and its successor found no such run in the journal.',
  )
  handle.end({ outcome: 'failed', error: error.toData() })
}
