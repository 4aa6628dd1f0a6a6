import { isOpenItem, planOf } from '../../conversation/context.ts'
import type { FactOf, PlanItem } from '../../protocol/fact.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { Effects } from '../effects.ts'
import { endsEarly, isBlank, noteOn } from './blank-answer.ts'
import type { CountedRun } from './counters.ts'
import { lookAhead } from './look-ahead.ts'
import { limitOf } from './run-budget.ts'
import { hasDeliveries } from './queued-messages.ts'

type Output = Omit<FactOf<'model-output'>, 'parentId'>

/**
 * Adds a reminder to an output that would complete the run too early: it has no answer, or the plan has open items. The
 * plan's reminder comes once per run.
 *
 * Adds none on the last step: the reminder would turn a complete run into one cut short.
 */
export function withReminder(output: Output, { conversation, effects }: Given): Output {
  const { state, run } = conversation
  if (run === null) return output
  const isLast =
    run.limit !== null || (run.limits.maxSteps >= 0 && output.step >= run.limits.maxSteps)
  if (isLast) return output
  const remind = (text: string): Output => ({
    ...output,
    reminder: { id: effects.newId('msg_'), text },
  })
  // A model that stays silent after feedback isn't reminded again.
  if (endsEarly(output) && state.path.at(-1)?.kind !== 'feedback') return remind(noteOn(output))
  const goesOn = output.calls.length > 0 || output.feedback !== undefined || hasDeliveries(state)
  if (goesOn || run.wasReminded || output.finishReason !== 'stop' || isBlank(output)) return output
  const open = planOf(state)?.filter(isOpenItem) ?? []
  if (open.length === 0) return output
  const next = lookAhead(conversation, [output])
  // With a limit reached, the next step would already be the last answer.
  return next && limitOf(next) !== null ? output : remind(reminderOf(open))
}

interface Given {
  readonly conversation: { readonly state: ConversationState; readonly run: CountedRun | null }
  readonly effects: Pick<Effects, 'newId'>
}

function reminderOf(open: readonly PlanItem[]): string {
  const items = open.map(({ content, status }) => `- ${content} (${status})`).join('\n')
  return `Your plan still has open items:\n${items}\nGo on with them, mark what is done or dropped, or answer if that is all.`
}
