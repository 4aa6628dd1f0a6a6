import { actionPrompt } from '../../action/index.ts'
import { describeSkills } from '../../action/prompt.ts'
import { contextOn, planOf } from '../../conversation/context.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { LimitName } from '../../protocol/run.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { ModelRequest } from '../../providers/provider.ts'
import type { CountedRun } from '../run/counters.ts'
import { REPETITION, repetitionWords } from '../run/repetition.ts'
import { limitOf } from '../run/run-budget.ts'
import { imagesInWords } from './images-in-words.ts'
import { applyContext } from './compaction/apply-context.ts'
import { landmarks } from './compaction/drop-oldest.ts'
import { activeSkillsText } from './skills-text.ts'
import { memoryNote } from './memory-note.ts'
import { forModel } from './model-names.ts'
import { outgoingMessages } from './outgoing-messages.ts'

/** Builds the request for the run's next step. Pure: the stored history stays as it is. */
export function buildRequest(
  state: ConversationState,
  run: CountedRun,
  step: { readonly stepContext: StepContext; readonly toolMode: 'native' | 'action' },
): ModelRequest {
  const { stepContext, toolMode } = step
  // ACTION mode describes the tools as text in the prompt, so `toolChoice: 'none'` must leave that text out.
  const tools =
    toolMode === 'action' && stepContext.model.toolChoice === 'none'
      ? []
      : stepContext.tools.map(forModel)
  const action = toolMode === 'action' && tools.length > 0
  const skills = tools.length > 0 ? (stepContext.skills ?? []) : []
  const instructions = [
    stepContext.instructions,
    action ? actionPrompt(tools, skills, stepContext.model) : describeSkills(skills),
    activeSkillsText(state),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
  const trailer = [
    liveContext(stepContext.context),
    memoryNote(state),
    planNote(state),
    ...notices(run),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
  return {
    messages: imagesInWords(
      outgoingMessages(applyContext(state.path, contextOn(state)), stepContext.tools, toolMode),
      stepContext.model.model,
    ),
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    ...(instructions !== '' && { instructions }),
    ...(trailer !== '' && { trailer }),
    toolMode,
    answers: answersIn(state),
    textAsWritten: true,
    ...(stepContext.raw && { raw: true }),
  }
}

/** Counts the model's answers since the person's last message, including those that are no longer sent. */
function answersIn({ path }: ConversationState): number {
  const since = path.slice(landmarks(path).request + 1)
  return since.filter(({ message }) => message.role === 'assistant').length
}

function liveContext(context: string | undefined): string {
  return context === undefined || context === '' ? '' : `Context, as of now:\n${context}`
}

/** The model's plan, if compaction may have removed the call that made it. */
function planNote(state: ConversationState): string {
  const isCut = contextOn(state).some(
    ({ type }) => type === 'compacted' || type === 'results-cleared',
  )
  const plan = isCut ? planOf(state) : null
  return plan === null
    ? ''
    : `Your plan, as of now:\n${plan.map(({ content, status }) => `- ${content} (${status})`).join('\n')}`
}

const LIMIT_WORDS: Partial<Record<LimitName, string>> = { costUSD: 'cost', minutes: 'time' }

/** Notes to the model about the run's limits and repeated calls. Never stored. */
function notices(run: CountedRun): string[] {
  const notes: string[] = []
  const { maxSteps } = run.limits
  const limit = limitOf(run)
  if (limit !== null) {
    notes.push(
      `The run's limit of ${LIMIT_WORDS[limit] ?? limit} is reached. No tool can be called any more: answer now with what you have, and say what is done and what remains.`,
    )
  } else if (maxSteps >= 2 && run.steps === maxSteps - 1) {
    notes.push(
      'This is the last step you have. Conclude now, or sum up what is done and what remains. Call no more tools unless one call completes the task.',
    )
  }
  if (run.repetition.count >= REPETITION.warn) {
    notes.push(
      `You have asked for the same calls ${repetitionWords(run.repetition)}. Don't repeat them: use the results you have, try something else, or say what is in the way.`,
    )
  }
  return notes
}
