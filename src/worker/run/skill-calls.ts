import { headId } from '../../conversation/tree.ts'
import { activeSkills } from '../../conversation/active-skills.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { SkillText } from '../../protocol/questions.ts'
import type { CallState } from '../../protocol/state.ts'
import type { RunContext } from './run-context.ts'
import type { Settlement } from './settlement.ts'

type Context = Pick<RunContext, 'agentId' | 'conversation' | 'page'>

/**
 * Runs a call of `activate_skill`. The skill's text is stored with the call's end. `input` was checked against the
 * tool's schema: `{ name }`. `activating` holds skills that earlier calls of the same step activate.
 */
export async function activation(
  { agentId, conversation, page }: Context,
  { call, input }: { readonly call: CallState; readonly input: JsonValue },
  activating: readonly SkillText[],
): Promise<Settlement> {
  const { name } = input as { readonly name: string }
  const active = [...activeSkills(conversation.state), ...activating]
  if (active.some((skill) => skill.name === name)) {
    return activated(call, `The skill ${name} is active already: its instructions`)
  }
  const skill = await page.readSkill({ agentId, name })
  if (skill !== null)
    return { ...activated(call, `The skill ${name} is active. Its instructions`), skill }
  const message = `This page has no skill ${name}, so none was activated.`
  return { call, status: 'failed', output: { type: 'error', code: 'failed', message } }
}

function activated(call: CallState, beginning: string): Settlement {
  const value = `${beginning} stand under "# Active skills".`
  return { call, status: 'succeeded', output: { type: 'text', value } }
}

/**
 * Updates the active skills at the start of a run: stores changed ones again, and drops those that the page no longer
 * has. Otherwise the text of another page or an imported file could be sent. A resumed run keeps its skills.
 */
export async function renewedSkills({
  agentId,
  conversation,
  page,
}: Context): Promise<readonly FactDraft[]> {
  const after = headId(conversation.state)
  const facts = activeSkills(conversation.state).map(async (row): Promise<FactDraft | null> => {
    const { name } = row
    const skill = await page.readSkill({ agentId, name })
    if (skill === null) return { type: 'skill-dropped', after, name }
    return isSame(row, skill) ? null : { type: 'skill-activated', after, ...skill }
  })
  return (await Promise.all(facts)).filter((fact) => fact !== null)
}

/** Compares all fields, not only the hash: an imported row may have any hash. */
function isSame(row: SkillText, skill: SkillText): boolean {
  return wordsOf(row) === wordsOf(skill)
}

function wordsOf({ name, hash, text, restrictTools, files, loaded }: SkillText): string {
  return JSON.stringify([name, hash, text, restrictTools ?? null, files ?? null, loaded ?? false])
}
