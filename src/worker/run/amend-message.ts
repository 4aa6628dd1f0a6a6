import { contextOn } from '../../conversation/context.ts'
import type { StepContext } from '../../protocol/questions.ts'
import { applyContext } from '../model/compaction/apply-context.ts'
import type { RunContext } from './run-context.ts'

/**
 * Asks the page's `beforeModel` hook how to send the person's newest message, before a model first reads it. The answer
 * is stored first. Later requests then send the same text, which keeps the prompt cache valid.
 */
export async function amendMessage(
  { agentId, conversation, page, runId }: RunContext,
  step: number,
  { hasBeforeModel }: StepContext,
): Promise<void> {
  const { state, conversationId } = conversation
  const last = state.path.at(-1)
  if (!hasBeforeModel || last?.kind !== 'user' || last.sent) return
  const messages = applyContext(state.path, contextOn(state))
  const sent = await page.beforeModel({ agentId, runId, conversationId, step, messages })
  await conversation.append([{ type: 'message-amended', messageId: last.id, ...sent }])
}
