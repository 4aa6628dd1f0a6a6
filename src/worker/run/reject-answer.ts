import { resultOf } from '../../conversation/result.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { RunEnd } from '../../protocol/fact.ts'
import type { VerifyAnswer } from '../../protocol/questions.ts'
import type { CountedRun } from './counters.ts'
import { limitOf } from './run-budget.ts'
import type { RunContext } from './run-context.ts'

/**
 * Asks the page to verify the answer that would end the run. Returns true if it was rejected: the rejection is stored,
 * and the run continues. Skipped if the answer has no text, or if no step is left for a better one.
 */
export async function rejectAnswer(
  context: RunContext,
  run: CountedRun,
  end: RunEnd,
): Promise<boolean> {
  const { conversation, effects, runId, tools } = context
  const { maxSteps } = run.limits
  const isLast = (maxSteps >= 0 && run.steps >= maxSteps) || limitOf(run) !== null
  if (end.outcome !== 'completed' || isLast || !tools.hasVerify) return false
  // Only accepted answers are annotated, so this one was verified before.
  if (run.reflected === 'annotate') return false
  const answer = answerOf(context, run, end)
  const feedback = answer && (await ask(context, answer))
  if (feedback === null) return false
  const message = { id: effects.newId('msg_'), text: wordsOf(feedback) }
  await conversation.append((now) =>
    now?.runId !== runId || now.end !== null || now.steps !== run.steps
      ? null
      : [{ type: 'answer-rejected', step: run.steps, message }],
  )
  return true
}

function answerOf(
  { agentId, conversation, runId }: RunContext,
  { rejections }: CountedRun,
  end: RunEnd,
): VerifyAnswer | null {
  const { conversationId, state } = conversation
  const { text, toolCalls } = resultOf(state, runId, { outcome: end })
  const messageId = state.path.findLast((node) => node.kind === 'assistant')?.id
  if (messageId === undefined || text.trim() === '') return null
  return { agentId, runId, conversationId, messageId, round: rejections + 1, text, toolCalls }
}

/** The page's objection to the answer. Null: none, or its check failed, which must not withhold the answer. */
async function ask({ page, signal }: RunContext, answer: VerifyAnswer): Promise<string | null> {
  const { agentId, messageId } = answer
  try {
    return await page.verify(answer)
  } catch (error) {
    if (signal.aborted) page.stopVerifying({ agentId, messageId }).catch(() => undefined)
    // The run was stopped, or its agent disposed. The next owner asks again.
    if (signal.aborted || (OffstageError.is(error) && error.code === 'disposed')) throw error
    return null
  }
}

function wordsOf(feedback: string): string {
  return `The app has checked your answer, and it is not good enough yet:\n${feedback}\nGive the whole answer again, corrected.`
}
