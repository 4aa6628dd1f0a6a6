import { contextOn } from '../../../conversation/context.ts'
import type { CompactionChoice } from '../../../protocol/compaction.ts'
import type { ConversationState } from '../../../protocol/state.ts'
import { sentResults } from './apply-context.ts'
import { clearing } from './clear-results.ts'
import { isStart, landmarks, leavingOut } from './drop-oldest.ts'
import { clear } from './plan-compaction.ts'
import { tokensWith, type PlannedCompaction, type Room } from './planned.ts'

export type CheckedChoice =
  | { readonly facts: readonly PlannedCompaction[] }
  /** Why the choice can't be applied. */
  | { readonly fault: string }

type Clear = Extract<CompactionChoice, { readonly clearUpTo: string }>
type Sum = Extract<CompactionChoice, { readonly summary: string }>

/** Turns an app's choice into facts. Refuses one that frees too little or separates a call from its result. Pure. */
export function checkChoice(
  state: ConversationState,
  choice: CompactionChoice,
  room: Pick<Room, 'fixed' | 'total'>,
): CheckedChoice {
  const checked = 'clearUpTo' in choice ? clearUpTo(state, choice) : sumUp(state, choice)
  if ('fault' in checked) return checked
  const left = tokensWith(state, room.fixed, checked.facts)
  return left < room.total
    ? checked
    : { fault: `it leaves about ${Math.round((100 * left) / room.total)}% of the budget.` }
}

function clearUpTo(state: ConversationState, { clearUpTo: id, except = [] }: Clear): CheckedChoice {
  const { path } = state
  const end = path.findIndex((node) => node.id === id)
  if (end < 0) return notThere('clearUpTo', id)
  if (end > landmarks(path).newestStep)
    return { fault: 'clearUpTo has results that the model has not read yet.' }
  const results = sentResults(path, contextOn(state)).filter(({ place }) => place <= end)
  const unknown = except.find(
    (callId) =>
      !path.some(
        ({ calls, message }) =>
          calls.some(({ toolCallId }) => toolCallId === callId) ||
          (message.role === 'tool' &&
            message.parts.some(({ toolCallId }) => toolCallId === callId)),
      ),
  )
  if (unknown !== undefined) return { fault: `there is no call ${unknown}, of except.` }
  const chosen = clearing(results.filter(({ part }) => !except.includes(part.toolCallId)))
  if (chosen.freed <= 0) return { fault: 'there is nothing to be cleared.' }
  return { facts: [clear(state, chosen)] }
}

function sumUp(state: ConversationState, { summary, firstKept }: Sum): CheckedChoice {
  const { path } = state
  const end = path.findIndex(({ id }) => id === firstKept)
  if (end < 0) return notThere('firstKept', firstKept)
  if (!isStart(path[end]))
    return { fault: 'firstKept is no message of a person or the model: it would lose its call.' }
  const { request, newestStep } = landmarks(path)
  if (end > Math.max(request, newestStep))
    return { fault: 'firstKept lies behind the newest step.' }
  // The newest request stays, so the messages before it and those after it are two ranges.
  const before = leavingOut(state, { from: 0, before: Math.min(end, request) }, summary)
  const behind = leavingOut(state, { from: request + 1, before: end }, before ? '' : summary)
  const facts = [before, behind].filter((fact) => fact !== null)
  return facts.length > 0 ? { facts } : { fault: 'there is nothing before firstKept.' }
}

function notThere(name: string, id: string): CheckedChoice {
  return { fault: `there is no message ${id}, of ${name}.` }
}
