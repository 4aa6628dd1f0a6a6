import { activeSkills, type ActiveSkill } from '../../conversation/active-skills.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { CallState, ConversationState } from '../../protocol/state.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import type { RunContext } from './run-context.ts'
import type { Settlement } from './settlement.ts'

/** An active skill's restriction of the tools that may be called. */
type Rule = Pick<ActiveSkill, 'name' | 'restrictTools'>

/**
 * Filters the tools that the model sees. Tools that belong to skills need one of them active.
 *
 * Tools that a skill forbids disappear only at the start of the next run, to keep the server's prompt cache valid.
 * Until then, their calls are refused.
 */
export function offeredStep(
  step: StepContext,
  { conversation: { state }, runId }: Pick<RunContext, 'conversation' | 'runId'>,
): StepContext {
  const skills = activeSkills(state)
  const active = new Set(skills.map(({ name }) => name))
  const standing = skills.filter((row) => row.runId !== runId || row.path === undefined)
  const isOffered = (tool: ToolDescriptor): boolean =>
    tool.skills?.some((name) => active.has(name)) !== false && forbids(standing, tool) === undefined
  const tools = step.tools.filter(isOffered)
  if (tools.length === step.tools.length) return step
  const left = step.tools.flatMap((tool) => (isOffered(tool) ? [] : tool.name))
  return { ...step, tools, otherTools: [...(step.otherTools ?? []), ...left] }
}

/**
 * The end of a call that an active skill forbids. Null: none forbids it. A skill restricts only the calls after its own
 * activation. `activating` holds skills of the same step whose activation isn't stored yet.
 */
export function forbidden(
  { conversation: { state, run }, tools }: Pick<RunContext, 'conversation' | 'tools'>,
  call: CallState,
  activating: readonly Rule[] = [],
): Settlement | null {
  const { toolName } = call
  const tool = tools.get(toolName)
  // No registered tool has this name, which the caller reports itself.
  if (tool === undefined && !tools.others.includes(toolName)) return null
  const rules = [...rulesBefore(state, run?.calls ?? [], call), ...activating]
  const skill = forbids(rules, tool ?? { name: toolName })
  if (skill === undefined) return null
  const reason = `The skill ${skill.name} is active and does not allow calls of ${toolName}. It allows ${listOf(skill)}.`
  return { call, status: 'denied', output: { type: 'denied', reason } }
}

function rulesBefore(
  state: ConversationState,
  calls: readonly CallState[],
  { toolCallId }: CallState,
): readonly Rule[] {
  const at = calls.findIndex((call) => call.toolCallId === toolCallId)
  const later = new Set(at < 0 ? [] : calls.slice(at).map((call) => call.toolCallId))
  return activeSkills(state).filter(({ path }) => !later.has(path?.at(-1) ?? ''))
}

function forbids(
  rules: readonly Rule[],
  { name, forModel, control }: Pick<ToolDescriptor, 'name' | 'forModel' | 'control'>,
): Rule | undefined {
  if (control !== undefined) return undefined
  // Skills list the names that the model knows.
  const known = forModel?.name ?? name
  return rules.find(({ restrictTools }) => restrictTools?.includes(known) === false)
}

function listOf({ restrictTools = [] }: Rule): string {
  return restrictTools.length > 0 ? restrictTools.join(', ') : 'none'
}
