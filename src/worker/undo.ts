import { isUndoable } from '../conversation/fold-call.ts'
import { OffstageError } from '../protocol/error.ts'
import type { PageApi, UndoOutcome } from '../protocol/page-calls.ts'
import type { ConversationScope } from '../protocol/conversation.ts'
import type { CallState, MessageNode } from '../protocol/state.ts'
import { type ActiveConversation, busyError } from './active-conversation.ts'
import { effectKey } from './run/execute-calls.ts'
import type { Conversation } from './conversation.ts'
import type { ConversationRegistry } from './conversation-registry.ts'
import type { FactDraft } from './store/fact-draft.ts'

type UndoRequest = ConversationScope & { readonly toolCallId: string }

interface UndoableCall {
  readonly call: CallState
  readonly runId: string
}

/**
 * Undoes calls through their tools, at most once each. Only the conversation's owner can undo calls, and only between
 * runs.
 */
export class Undoing {
  readonly #registry: ConversationRegistry
  readonly #page: Pick<PageApi, 'undoTool'>

  constructor(registry: ConversationRegistry, page: Pick<PageApi, 'undoTool'>) {
    this.#registry = registry
    this.#page = page
  }

  async undoCall(request: UndoRequest): Promise<boolean> {
    const { conversationId } = request
    if ((await (await this.#registry.store(request)).get(conversationId)) === null) return false
    const active = await this.#registry.openConversation(request)
    return active.enqueueNow(async () => {
      if (active.driver) throw busyError(conversationId)
      return active.runAsOwner(() => this.#undo(active, request))
    })
  }

  async #undo(
    { conversation }: ActiveConversation,
    { agentId, toolCallId }: UndoRequest,
  ): Promise<boolean> {
    const found = undoableCall(conversation, toolCallId)
    if (found === null) return false
    const { runId, call } = found
    const { path, toolName, input, output } = call
    if (!output) return false
    const { conversationId, claims } = conversation
    if (!(await claims.isNoted('outputs', effectKey(runId, call))))
      throw undoFailed(call, { status: 'not-begun' })
    const append = (fact: FactDraft): Promise<boolean> =>
      conversation.append([fact], { runId: null, strict: true })
    // Stored before the tool runs, so that an undo is never started twice.
    await append({ type: 'undo-started', path })
    const outcome = await this.#page
      .undoTool({
        agentId,
        runId,
        conversationId,
        toolCallId,
        toolName,
        input,
        idempotencyKey: `${runId}:${toolCallId}:undo`,
        output,
      })
      // The agent is gone, perhaps while the tool was undoing the call.
      .catch((): UndoOutcome => ({ status: 'unknown' }))
    if (outcome.status !== 'unknown') await append({ type: 'undo-settled', path, ...outcome })
    // The page must see the new state before this call returns.
    conversation.stream.flush()
    if (outcome.status === 'done') return true
    throw undoFailed(call, outcome)
  }
}

/** The call, if it can be undone. Throws `conversation-busy` during a run: later calls may build on this one. */
function undoableCall(
  { conversationId, run, state }: Conversation,
  id: string,
): UndoableCall | null {
  if (run?.end === null) throw busyError(conversationId)
  // Includes other branches: switching branches doesn't undo a tool's effect.
  for (const { calls, runId } of [...state.path, ...state.others] satisfies MessageNode[]) {
    const call = calls.find(({ toolCallId }) => toolCallId === id)
    if (call) return runId !== null && isUndoable(call) ? { call, runId } : null
  }
  return null
}

function undoFailed({ toolName }: CallState, outcome: UndoOutcome): OffstageError {
  const { status } = outcome
  return new OffstageError('call-failed', `${toolName} was not undone: ${failureReason(outcome)}`, {
    details: { toolName, status },
  })
}

function failureReason(outcome: UndoOutcome): string {
  if (outcome.status === 'failed') return outcome.message
  return outcome.status === 'not-begun'
    ? 'it did not run here, or has no undo().'
    : 'its outcome is unknown.'
}
