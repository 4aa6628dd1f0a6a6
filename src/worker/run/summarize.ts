import { messageText } from '../../conversation/result.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import type { Usage, UserMessage } from '../../protocol/message.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { ConversationState } from '../../protocol/state.ts'
import { buildRequest } from '../model/build-request.ts'
import type { ModelCall } from '../model/call-model.ts'
import { landmarks } from '../model/compaction/drop-oldest.ts'
import { sentTokens } from '../model/compaction/planned.ts'
import { messageTokens } from '../model/compaction/request-size.ts'
import { askQuietly } from './ask-model.ts'
import { sizeOf } from './context-room.ts'
import type { CountedRun } from './counters.ts'
import type { RunContext } from './run-context.ts'

export interface Summary {
  /** Empty: the model gave no usable summary. */
  readonly text: string
  /** Usage of each attempt, including the one that gave the summary. */
  readonly attempts: readonly Usage[]
}

interface Summarizing extends Pick<ModelCall, 'confirm'> {
  readonly stepContext: StepContext
  /** Longest summary, in estimated tokens. A longer one is cut off. */
  readonly maxTokens: number
  /** Estimated tokens that fit into the window. Undefined: unknown. */
  readonly limit: number | undefined
}

const ASK: UserMessage = {
  role: 'user',
  synthetic: true,
  parts: [
    {
      type: 'text',
      text: 'Room has to be made: the oldest messages above will no longer be sent. Write a summary of the conversation so far that lets you go on without them: what the person wants, what was agreed, found (with names, numbers and ids) and done, and what remains to be done. Write the summary only, in the language of the conversation, in 300 words at most. Call no tools.',
    },
  ],
}

/**
 * Asks the model to summarize the messages to be left out. Never fails: without a summary, they are left out anyway.
 *
 * Sends the request of the next step, or of the one before, plus one turn. The server's prompt cache then still
 * matches.
 */
export async function summarize(
  context: RunContext,
  run: CountedRun,
  { stepContext, confirm, maxTokens, limit }: Summarizing,
): Promise<Summary> {
  const { effects } = context
  const attempts: Usage[] = []
  const state = summedUp(context, run, { stepContext, limit })
  if (state === null) return { text: '', attempts }
  const outcome = await askQuietly(context, run, {
    stepContext: { ...stepContext, model: { ...stepContext.model, toolChoice: 'none' } },
    messageId: effects.newId('msg_'),
    confirm,
    request: (toolMode) => {
      const request = buildRequest(state, run, { stepContext, toolMode })
      return { ...request, messages: [...request.messages, ASK] }
    },
    attemptFailed: async (attempt) => {
      attempts.push(attempt.usage)
    },
  })
  if (outcome.type !== 'turn') return { text: '', attempts: [...attempts, outcome.usage] }
  const { parts, usage } = outcome.turn
  const text = messageText({ parts }).trim()
  return { text: shortened(text, maxTokens), attempts: [...attempts, usage] }
}

/**
 * The messages for the summary's request: all that fit, or else those before the newest step, which is kept anyway. The
 * server has seen that shorter request before. Null: not even that one fits.
 */
function summedUp(
  context: RunContext,
  run: CountedRun,
  { stepContext, limit = Infinity }: Pick<Summarizing, 'stepContext' | 'limit'>,
): ConversationState | null {
  const { state } = context.conversation
  const { fixed, sent } = sizeOf(context, run, stepContext)
  const left = limit - messageTokens(ASK)
  if (sent <= left) return state
  const before = { ...state, path: state.path.slice(0, landmarks(state.path).newestStep) }
  return before.path.length > 0 && sentTokens(before, fixed) <= left ? before : null
}

function shortened(text: string, maxTokens: number): string {
  const tokens = estimateTokens(text)
  if (tokens <= maxTokens) return text
  const characters = Array.from(text)
  return `${characters.slice(0, Math.floor((characters.length * maxTokens) / tokens)).join('')} …`
}
