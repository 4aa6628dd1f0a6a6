import { contextOn } from '../../conversation/context.ts'
import type { StepContext } from '../../protocol/questions.ts'
import { applyContext } from '../model/compaction/apply-context.ts'
import type { RunContext } from './run-context.ts'

/**
 * Asks the page how the newest message of the person is to be sent, if a model is about to read it for the first time. Stored
 * before it is sent: what was sent once is sent so from then on, which keeps the cached beginning of prompts.
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
