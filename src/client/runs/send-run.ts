import type { StartRun } from '../../protocol/worker-calls.ts'
import { type RunRef, storageKey } from '../../protocol/conversation.ts'
import type { OffstageError } from '../../protocol/error.ts'
import type { Message } from '../../protocol/message.ts'
import type { RunOutcome } from '../../protocol/run.ts'
import { fail } from './agent-runs.ts'
import type { AgentParts } from '../api/agent-parts.ts'
import { checkId, checkMessageParts } from './check-message.ts'
import { loadPart } from '../api/load-part.ts'
import { sleep } from '../../lib/sleep.ts'
import { pageRegistry } from '../page-life/page-registry.ts'
import type { RunHandle } from './run.ts'

/** Longest wait for the worker to end an aborted run before the next run starts. Milliseconds. */
const ABORT_MS = 2000

type History = readonly Message[] | void

/** Histories being read, by conversation. Later runs of the conversation start after them. */
const reading = new Map<string, Promise<void>>()

export async function sendStart(
  agent: AgentParts,
  handle: RunHandle,
  command: StartRun,
): Promise<void> {
  const { callWorker, link, runs, scope } = agent
  const { conversationId, runId } = command
  checkId(conversationId)
  const { message } = command
  // Views show the command's message. They need it as it is stored, with plain base64.
  if (message)
    Object.assign(command, { message: { ...message, parts: checkMessageParts(message.parts) } })
  // If a restart sends the command again, `follow` keeps the handle's existing follower.
  const run = { runId, conversationId, storage: storageKey(scope().storage) }
  const { feeds } = link()
  feeds.follow(run, handle)
  feeds.find(run)?.views?.changed()
  const aborting = [...runs.aborts].flatMap(([id, abort]) =>
    abort.conversationId === conversationId ? (runs.aborting.get(id) ?? []) : [],
  )
  const readingHistory = readHistory(command)
  let history: History = undefined
  runs.starting.add(runId)
  try {
    if (aborting.length > 0 || readingHistory) {
      await Promise.race([Promise.allSettled(aborting), sleep(ABORT_MS)])
      history = await readingHistory
      if (handle.abortReason !== undefined) return
    }
    pageRegistry().touched.add(conversationId)
    runs.sentRunIds.add(runId)
    await callWorker('startRun', { ...command, history })
  } catch (error) {
    const { code } = error as OffstageError
    const reason = handle.abortReason
    if (code !== 'worker-lost' && code !== 'disposed') {
      runs.sentRunIds.delete(runId)
      if (reason !== undefined && !runs.openRuns.has(runId)) {
        if (command.message) runs.unsentMessages.set(runId, command.message)
        endRunLocally(agent, command, { outcome: 'aborted', reason })
      }
    }
    throw error
  } finally {
    runs.starting.delete(runId)
  }
}

/** Converts the command's history to Offstage's messages. Undefined if the run needn't wait for a history. */
function readHistory({ conversationId, history }: StartRun): Promise<History> | undefined {
  if (history === undefined) return reading.get(conversationId)
  const readingHistory = loadPart(() => import('../features/read-history.ts')).then((part) =>
    part.readHistory(history),
  )
  const forget = (): void => void reading.delete(conversationId)
  reading.set(conversationId, readingHistory.then(forget, forget))
  return readingHistory
}

/**
 * Ends the run on this page without an answer from the worker. If the worker had the command when it was aborted, only
 * the worker knows whether the message was stored.
 */
export function endRunLocally(
  { link, runs, scope }: AgentParts,
  { runId, conversationId }: RunRef,
  outcome: RunOutcome,
): void {
  const message = runs.commands.get(runId)?.message ?? runs.unsentMessages.get(runId) ?? null
  runs.unsentMessages.delete(runId)
  const isUnknown = runs.sentRunIds.delete(runId) && outcome.outcome === 'aborted'
  const delta = { type: 'run-left', runId, outcome, ...(!isUnknown && { message }) } as const
  link().feeds.leaveRun({ storage: storageKey(scope().storage), conversationId }, delta)
}

/** Fails a run that crashed the worker, and records an abort: the next worker ends the stored run. */
export function failCrashedRun({ runs }: AgentParts, runId: string, error: OffstageError): void {
  const handle = runs.openRuns.get(runId)
  if (!handle) return
  const { conversationId } = handle.run
  runs.aborts.set(runId, { conversationId, reason: error.message, error: error.toData() })
  fail(handle, error)
}
