import { headId } from '../../conversation/tree.ts'
import { contextOn } from '../../conversation/context.ts'
import { isRequest, messageWords } from '../../conversation/requests.ts'
import { taintOf } from '../../conversation/taint.ts'
import type { MemoryQuery, StepContext } from '../../protocol/questions.ts'
import type { ConversationState, MessageNode } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'

/**
 * Asks the page for memories that match the newest request, once per message, even if another owner resumes the run.
 * Stores them before the model is asked.
 */
export async function recall(
  { agentId, conversation, page, runId, signal }: RunContext,
  { hasMemory }: StepContext,
): Promise<void> {
  const request = hasMemory ? unasked(conversation.state) : undefined
  const query = request ? messageWords(request.message) : ''
  if (request === undefined || query === '') return
  const { conversationId, parent, state: before } = conversation
  const items = await page.retrieveMemories({
    agentId,
    runId,
    conversationId,
    query,
    writtenBy: writerOf(request, Boolean(parent)),
    tainted: taintOf(before).length > 0,
  })
  if (signal.aborted) return
  await conversation.append((run) => {
    const isOpen = run?.runId === runId && run.end === null
    const { state } = conversation
    if (!isOpen || unasked(state)?.id !== request.id) return null
    const after = headId(state)
    const isUntrusted = items.some(({ untrusted }) => untrusted === true)
    return [
      { type: 'memory-retrieved', after, items },
      ...(isUntrusted ? [{ type: 'untrusted-taken-in', after, origin: 'memory' } as const] : []),
    ]
  })
}

/** The author of a request. In a child run's conversation, the parent's model wrote the first message. */
function writerOf(
  { message, parentId }: MessageNode,
  isForCall: boolean,
): MemoryQuery['writtenBy'] {
  if ('trigger' in message) return 'app'
  return isForCall && parentId === null ? 'model' : 'person'
}

/** The newest request, if no memories were retrieved for it yet. */
function unasked(state: ConversationState): MessageNode | undefined {
  const request = state.path.findLast(isRequest)
  return request && isRemembered(state, request) ? undefined : request
}

function isRemembered(state: ConversationState, request: MessageNode): boolean {
  const newest = contextOn(state).findLast(({ type }) => type === 'memory-retrieved')
  if (newest === undefined) return false
  const { path } = state
  const from = path.lastIndexOf(request)
  return path.slice(from).some(({ id }) => id === newest.after)
}
