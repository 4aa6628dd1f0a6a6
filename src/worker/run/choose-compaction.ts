import { compactionsOn } from '../../conversation/compactions.ts'
import { contextOn } from '../../conversation/context.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSituation,
} from '../../protocol/compaction.ts'
import type { CompactionAnswer } from '../../protocol/questions.ts'
import { sentSizes } from '../model/compaction/apply-context.ts'
import { checkChoice } from '../model/compaction/check-choice.ts'
import { messageTokens } from '../model/compaction/request-size.ts'
import { COMPACTION_DEFAULTS } from './context-room.ts'
import type { Occasion, RoomNeeded } from './room-needed.ts'
import type { RunContext } from './run-context.ts'

/** Asks the app's policy what to leave out. Null: nothing. The default policy replaces one that fails. */
export async function chooseCompaction(
  context: RunContext,
  occasion: Occasion,
  needed: RoomNeeded,
): Promise<CompactionChoice | CompactionPolicy | null> {
  const answer = await ask(context, situationOf(context, occasion, needed))
  if (answer === null) return null
  if (answer.type === 'failed') return instead(context, answer.message)
  const { choice } = answer
  if (choice === null || typeof choice === 'string') return choice
  const { room, budget } = needed
  const checked = checkChoice(context.conversation.state, choice, {
    fixed: room.fixed,
    total: budget,
  })
  return 'fault' in checked ? instead(context, checked.fault) : choice
}

function situationOf(
  { conversation: { conversationId, state }, memory, runId }: RunContext,
  { stepContext, occasion }: Occasion,
  { room, budget, sent }: RoomNeeded,
): CompactionSituation {
  const factor = memory.tokenFactor(stepContext.model)
  const counted = (estimated: number): number => Math.round(estimated * factor)
  const sizes = sentSizes(state.path, contextOn(state), messageTokens)
  return {
    runId,
    conversationId,
    occasion: occasion === 'refused' ? 'refused' : 'near-limit',
    messages: state.path.map(({ id, message }, at) => ({
      id,
      message,
      tokens: counted(sizes[at] ?? 0),
    })),
    tokens: counted(sent),
    fixedTokens: counted(room.fixed),
    budget: counted(budget),
    compactions: compactionsOn(state),
  }
}

/** Returns null if the run was stopped meanwhile. */
async function ask(
  { agentId, page, signal }: RunContext,
  situation: CompactionSituation,
): Promise<CompactionAnswer | null> {
  const { conversationId, runId } = situation
  try {
    return await page.chooseCompaction({ agentId, ...situation })
  } catch (error) {
    if (signal.aborted) {
      page.stopChoosing({ agentId, conversationId, runId }).catch(() => undefined)
      return null
    }
    // The page disposed the agent. The run's next owner asks again.
    if (OffstageError.is(error) && error.code === 'disposed') throw error
    return { type: 'failed', message: describeThrown(error) }
  }
}

function instead({ conversation, runId, stream }: RunContext, why: string): CompactionPolicy {
  const { policy } = COMPACTION_DEFAULTS
  stream.delta({
    type: 'warning',
    code: 'compaction-failed',
    message: `The policy of compaction has failed, and '${policy}' is used in its place: ${why}`,
    runId,
    step: (conversation.run?.steps ?? 0) + 1,
    attempt: 1,
  })
  return policy
}
