import { isOpenItem, planOf } from '../../conversation/context.ts'
import type { FactOf, PlanItem } from '../../protocol/fact.ts'
import type { ConversationState } from '../../protocol/state.ts'
import type { Effects } from '../effects.ts'
import type { CountedRun } from './counters.ts'
import { lookAhead } from './look-ahead.ts'
import { limitOf } from './run-budget.ts'
import { hasDeliveries } from './queued-messages.ts'

type Output = Omit<FactOf<'model-output'>, 'parentId'>

/**
 * The output, with what the model is told of its plan's open items where it would complete the run. Once in a run,
 * and never where no step is left: the run would end as one that was cut short.
 */
export function withReminder(output: Output, { conversation, effects }: Given): Output {
  const { state, run } = conversation
  if (run === null) return output
  const isLast =
    run.limit !== null || (run.limits.maxSteps >= 0 && output.step >= run.limits.maxSteps)
  const goesOn = output.calls.length > 0 || output.feedback !== undefined || hasDeliveries(state)
  if (isLast || goesOn || run.wasReminded || output.finishReason !== 'stop') return output
  const open = planOf(state)?.filter(isOpenItem) ?? []
  if (open.length === 0) return output
  const next = lookAhead(conversation, [output])
  // The next step would be the last answer already.
  if (next && limitOf(next) !== null) return output
  return { ...output, reminder: { id: effects.newId('msg_'), text: reminderOf(open) } }
}

interface Given {
  readonly conversation: { readonly state: ConversationState; readonly run: CountedRun | null }
  readonly effects: Pick<Effects, 'newId'>
}

function reminderOf(open: readonly PlanItem[]): string {
  const items = open.map(({ content, status }) => `- ${content} (${status})`).join('\n')
  return `Your plan still has open items:\n${items}\nGo on with them, mark what is done or dropped, or answer if that is all.`
}
