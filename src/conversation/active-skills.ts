import type { ContextRow, ConversationState } from '../protocol/state.ts'
import { contextOn } from './context.ts'

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
