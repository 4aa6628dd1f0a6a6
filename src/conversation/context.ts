import type { FactType, PlanItem } from '../protocol/fact.ts'
import type { ContextRow, ConversationState } from '../protocol/state.ts'

type ContextOf<Type extends FactType> = Extract<ContextRow, { readonly type: Type }>

const known = new WeakMap<
  readonly ContextRow[],
  { readonly others: ConversationState['others']; readonly rows: readonly ContextRow[] }
>()

/** The context facts that apply to the head's branch, oldest first. The same state gives the same list. */
export function contextOn({ context, others }: ConversationState): readonly ContextRow[] {
  if (others.length === 0) return context
  const before = known.get(context)
  if (before?.others === others) return before.rows
  const elsewhere = new Set(others.map(({ id }) => id))
  const isHere = (id: string | null): boolean => id === null || !elsewhere.has(id)
  const rows = context.filter(
    (row) => isHere(row.after) && (row.type !== 'compacted' || isHere(row.keptFrom)),
  )
  known.set(context, { others, rows })
  return rows
}

/** The model's plan on this branch; null when there is none, or all its items are done. */
export function planOf(state: ConversationState): readonly PlanItem[] | null {
  const plan = contextOn(state).findLast(isPlan)?.plan
  return plan?.some(isOpenItem) ? plan : null
}

/** Whether any branch has a plan with open items. */
export function hasPlan({ context }: ConversationState): boolean {
  return context.some((row) => isPlan(row) && row.plan.some(isOpenItem))
}

export function isOpenItem({ status }: PlanItem): boolean {
  return status === 'pending' || status === 'in-progress'
}

function isPlan(row: ContextRow): row is ContextOf<'plan-changed'> {
  return row.type === 'plan-changed'
}

export type ActiveSkill = Extract<ContextRow, { readonly type: 'skill-activated' }>

/** The active skills on the head's branch, each as last stored, in the order of activation. */
export function activeSkills(state: ConversationState): readonly ActiveSkill[] {
  const skills = new Map<string, ActiveSkill>()
  for (const row of contextOn(state)) {
    if (row.type === 'skill-activated') skills.set(row.name, row)
    else if (row.type === 'skill-dropped') skills.delete(row.name)
  }
  return [...skills.values()]
}
