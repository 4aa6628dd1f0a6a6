import { turnAt, undoPlan, type UndoPlan } from '../../conversation/undo-plan.ts'
import { signalWithin } from '../../lib/abort.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type { UndoOutcome, UndoTool } from '../../protocol/page-calls.ts'
import type { Conversation, UndoneTurn, UndoTurnOptions } from '../api/agent.ts'
import type { AgentParts } from '../api/agent-parts.ts'
import { badInput } from '../api/failures.ts'
import { truncate } from './format-output.ts'
import { loadPartWithRetry, retryWhenLeaving } from '../page-life/page-leaving.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import { untilAborted } from '../runs/until-aborted.ts'

const TIMEOUT_MS = 60_000

/** Calls a tool's `undo` for one of its calls. `agentSignal` aborts with the agent. Never rejects. */
export async function undoTool(
  entry: PreparedTool | undefined,
  call: UndoTool,
  agentSignal: AbortSignal,
): Promise<UndoOutcome> {
  if (!entry?.tool.undo || agentSignal.aborted) return { status: 'not-begun' }
  const { tool } = entry
  const { runId, conversationId, toolCallId, input, output, idempotencyKey } = call
  const signal = signalWithin(tool.timeoutMs ?? TIMEOUT_MS, agentSignal)
  const context = { runId, conversationId, toolCallId, idempotencyKey, signal }
  try {
    const names =
      entry.isOddlyNamed && (await loadPartWithRetry(() => import('../tools/tool-names.ts')))
    const ownInput = names ? names.inOwnNames(entry, input) : input
    await retryWhenLeaving(() =>
      untilAborted(async () => tool.undo?.(ownInput, outputValue(output), context), signal),
    )
    return { status: 'done' }
  } catch (thrown) {
    if (signal.aborted) return { status: 'unknown' }
    return { status: 'failed', message: truncate(describeThrown(thrown)) }
  }
}

function outputValue(output: ToolOutput): JsonValue {
  return 'value' in output ? (output.value as JsonValue) : null
}

type Failure = NonNullable<UndoneTurn['failed']>

interface TurnRequest {
  readonly conversation: Conversation
  readonly messageId: string
  readonly options?: UndoTurnOptions | undefined
}

/** See `Conversation.undoTurn`. The caller has checked the user gesture. */
export async function undoTurn(
  { callWorker, scope }: Pick<AgentParts, 'callWorker' | 'scope'>,
  { conversation, messageId, options: { skip = [], signal } = {} }: TurnRequest,
): Promise<UndoneTurn> {
  const { undoable, kept: planned } = await waitForPlan(conversation, messageId)
  const { conversationId } = conversation.getSnapshot()
  const undone: string[] = []
  const kept: UndoneTurn['kept'][number][] = planned.map(({ call: { toolCallId }, reason }) => ({
    toolCallId,
    reason,
  }))
  let failed: Failure | undefined
  for (const { toolCallId } of undoable) {
    if (skip.includes(toolCallId)) kept.push({ toolCallId, reason: 'skipped' })
    else if (failed || signal?.aborted) kept.push({ toolCallId, reason: 'not-tried' })
    else
      try {
        const isDone = await callWorker('undoCall', { ...scope(), conversationId, toolCallId })
        if (isDone) undone.push(toolCallId)
        else kept.push({ toolCallId, reason: 'elsewhere' })
      } catch (thrown) {
        failed = failureOf(toolCallId, thrown)
      }
  }
  return { undone, ...(failed && { failed }), kept }
}

/** Returns the failure of a tool's undo. Rethrows all other errors: the app may call `undoTurn()` again. */
function failureOf(toolCallId: string, thrown: unknown): Failure {
  if (!OffstageError.is(thrown) || thrown.code !== 'call-failed') throw thrown
  const { toolName, status } = thrown.details as Pick<Failure, 'status'> & { toolName: string }
  // Leaves only the tool's own message, which a person may see.
  const message =
    status === 'failed'
      ? thrown.message.replace(`${toolName} was not undone: `, '')
      : thrown.message
  return { toolCallId, status, message }
}

/**
 * Plans the undo once this page has all messages of the turn. Rejects if there is no such message, or a run is open.
 */
function waitForPlan(conversation: Conversation, messageId: string): Promise<UndoPlan> {
  return new Promise((resolve, reject) => {
    let unsubscribe = (): void => undefined
    const check = (): void => {
      const { status, messages, older, error, runId } = conversation.getSnapshot()
      const hasWholeTurn = older === 0 || turnAt(messages, messageId)[0]?.role === 'user'
      if (status === 'loading' || !hasWholeTurn) return
      unsubscribe()
      const plan = undoPlan({ messages }, messageId)
      if (messages.length === 0 && error) reject(OffstageError.fromData(error))
      else if (!plan) reject(badInput('This branch of the conversation has no such message.'))
      else if (runId !== undefined) reject(busyError())
      else resolve(plan)
    }
    unsubscribe = conversation.subscribe(check)
    check()
  })
}

function busyError(): OffstageError {
  return new OffstageError('conversation-busy', 'A run is open. Undo the turn once it has ended.')
}
