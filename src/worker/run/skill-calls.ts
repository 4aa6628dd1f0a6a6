import { headId } from '../../conversation/tree.ts'
import { type ActiveSkill, activeSkills } from '../../conversation/context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { SkillText, StepContext } from '../../protocol/page-calls.ts'
import type { CallState, ConversationState } from '../../protocol/state.ts'
import type { DrivenRun } from './run-context.ts'
import type { Settlement } from './settle.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'

/** An active skill's restriction of the tools that may be called. */
type Rule = Pick<ActiveSkill, 'name' | 'restrictTools'>

/**
 * Filters the tools that the model sees. A tool that belongs to skills is offered only while one of these skills is
 * active.
 *
 * Tools that an activated skill forbids are left out only from the next run on, to keep the server's prompt cache
 * valid. Until then, their calls are refused.
 */
export function offeredStep(
  step: StepContext,
  { conversation: { state }, runId }: Pick<DrivenRun, 'conversation' | 'runId'>,
): StepContext {
  const skills = activeSkills(state)
  const active = new Set(skills.map(({ name }) => name))
  const restricting = skills.filter((row) => row.runId !== runId || row.path === undefined)
  const isOffered = (tool: ToolDescriptor): boolean =>
    tool.skills?.some((name) => active.has(name)) !== false &&
    forbids(restricting, tool) === undefined
  const tools = step.tools.filter(isOffered)
  if (tools.length === step.tools.length) return step
  const omitted = step.tools.flatMap((tool) => (isOffered(tool) ? [] : tool.name))
  return { ...step, tools, otherTools: [...(step.otherTools ?? []), ...omitted] }
}

/**
 * The end of a call that an active skill forbids. Null if no skill forbids it. A skill restricts only the calls after
 * its own activation. `activating`: skills of the same step whose activation isn't stored yet.
 */
export function skillRefusal(
  { conversation: { state, run }, tools }: Pick<DrivenRun, 'conversation' | 'tools'>,
  call: CallState,
  activating: readonly Rule[] = [],
): Settlement | null {
  const { toolName } = call
  const tool = tools.get(toolName)
  // No registered tool has this name. The caller reports unknown tools.
  if (tool === undefined && !tools.omitted.includes(toolName)) return null
  const rules = [...rulesBefore(state, run?.calls ?? [], call), ...activating]
  const skill = forbids(rules, tool ?? { name: toolName })
  if (skill === undefined) return null
  const reason = `The skill ${skill.name} is active and does not allow calls of ${toolName}. It allows ${allowedTools(skill)}.`
  return { call, status: 'denied', output: { type: 'denied', reason } }
}

function rulesBefore(
  state: ConversationState,
  calls: readonly CallState[],
  { toolCallId }: CallState,
): readonly Rule[] {
  const index = calls.findIndex((call) => call.toolCallId === toolCallId)
  const later = new Set(index < 0 ? [] : calls.slice(index).map((call) => call.toolCallId))
  return activeSkills(state).filter(({ path }) => !later.has(path?.at(-1) ?? ''))
}

function forbids(
  rules: readonly Rule[],
  { name, forModel, control }: Pick<ToolDescriptor, 'name' | 'forModel' | 'control'>,
): Rule | undefined {
  if (control !== undefined) return undefined
  // Skills list the names that the model knows.
  const modelName = forModel?.name ?? name
  return rules.find(({ restrictTools }) => restrictTools?.includes(modelName) === false)
}

function allowedTools({ restrictTools = [] }: Rule): string {
  return restrictTools.length > 0 ? restrictTools.join(', ') : 'none'
}

type Context = Pick<DrivenRun, 'agentId' | 'conversation' | 'page'>

/**
 * Runs a call of `activate_skill`. The skill's text is stored with the call's end. `input` was checked against the
 * tool's schema: `{ name }`. `activating`: skills that earlier calls of the same step activate.
 */
export async function activateSkill(
  { agentId, conversation, page }: Context,
  { call, input }: { readonly call: CallState; readonly input: JsonValue },
  activating: readonly SkillText[],
): Promise<Settlement> {
  const { name } = input as { readonly name: string }
  const active = [...activeSkills(conversation.state), ...activating]
  if (active.some((skill) => skill.name === name)) {
    return activationResult(call, `The skill ${name} is active already: its instructions`)
  }
  const skill = await page.readSkill({ agentId, name })
  if (skill !== null)
    return { ...activationResult(call, `The skill ${name} is active. Its instructions`), skill }
  const message = `This page has no skill ${name}, so none was activated.`
  return { call, status: 'failed', output: { type: 'error', code: 'failed', message } }
}

function activationResult(call: CallState, subject: string): Settlement {
  const value = `${subject} stand under "# Active skills".`
  return { call, status: 'succeeded', output: { type: 'text', value } }
}

/**
 * Updates the active skills at the start of a run: stores changed skills again, and drops skills that the page no
 * longer has. Otherwise, the model could get the text of another page or an imported file. A resumed run keeps its
 * skills.
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

/** Compares all fields, not only the hash, because an imported row may have any hash. */
function isSame(row: SkillText, skill: SkillText): boolean {
  return skillKey(row) === skillKey(skill)
}

function skillKey({ name, hash, text, restrictTools, files, loaded }: SkillText): string {
  return JSON.stringify([name, hash, text, restrictTools ?? null, files ?? null, loaded ?? false])
}
