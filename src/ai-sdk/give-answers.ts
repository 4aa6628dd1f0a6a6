import type { Conversation, PendingCall } from '../index.ts'
import type { UIMessageLike } from './ui-message.ts'

/** A message's tool part, typed loosely so that any chat's message type fits. */
interface AnsweredPart {
  readonly type: string
  readonly toolCallId?: unknown
  readonly state?: unknown
  readonly approval?: { readonly approved?: unknown; readonly reason?: unknown }
  readonly output?: unknown
  readonly errorText?: unknown
}

/** Answers pending calls with the answers in a chat's messages. Resolves to the ids of the answered calls. */
export async function giveAnswers(
  conversation: Conversation,
  messages: readonly UIMessageLike[],
): Promise<ReadonlySet<string>> {
  const answered = new Set<string>()
  const parts = messages.flatMap((message) => message.parts as readonly AnsweredPart[])
  for (const call of conversation.getSnapshot().pending) {
    const { toolCallId } = call
    // Calls of other agents are answered in their own conversations.
    const isOwn =
      call.conversationId === undefined ||
      call.conversationId === conversation.getSnapshot().conversationId
    const part = parts.findLast((each) => each.toolCallId === toolCallId)
    if (!isOwn || !part) continue
    if (await answer(conversation, call, part)) answered.add(toolCallId)
  }
  return answered
}

async function answer(
  conversation: Conversation,
  call: PendingCall,
  { state, approval, output, errorText }: AnsweredPart,
): Promise<boolean> {
  const { toolCallId, kind } = call
  if (kind === 'approval') {
    if (state !== 'approval-responded') return false
    if (approval?.approved === true) return await conversation.approve(toolCallId)
    const reason = approval?.reason
    return await conversation.deny(toolCallId, typeof reason === 'string' ? reason : undefined)
  }
  if (state !== 'output-available' && state !== 'output-error') return false
  const hasFailed = state === 'output-error'
  switch (kind) {
    case 'answer':
      return await conversation.answer(
        toolCallId,
        hasFailed ? { action: 'decline' } : answerOf(output),
      )
    case 'settlement':
      return await conversation.settle(toolCallId, hasFailed ? { error: errorText } : { output })
    case 'decision':
      return hasFailed ? false : await decide(conversation, toolCallId, output)
    case 'output':
      await conversation.supplyOutput(
        toolCallId,
        hasFailed ? `Error: ${String(errorText)}` : output,
      )
      return true
    default:
      return kind satisfies never
  }
}

type Answer = Parameters<Conversation['answer']>[1]

/** An answer as text, or as the content of the requested fields. */
function answerOf(output: unknown): Answer {
  return typeof output === 'object' && output !== null
    ? ({ action: 'accept', content: output } as Answer)
    : String(output)
}

async function decide(
  conversation: Conversation,
  toolCallId: string,
  verdict: unknown,
): Promise<boolean> {
  if (verdict !== 'happened' && verdict !== 'did-not-happen' && verdict !== 'run-again')
    return false
  return await conversation.resolveInterrupted(toolCallId, verdict)
}
