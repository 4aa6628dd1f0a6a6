import { badConfig } from '../api/failures.ts'
import type { CompositeTool, Tool } from '../tools/tool.ts'

/** Text of a file, or a function that loads it when the model reads it. */
export type SkillFile =
  | string
  | ((context: { readonly signal: AbortSignal }) => string | Promise<string>)

/**
 * Instructions for certain tasks, which the model activates when it needs them. `defineSkill` and `loadSkill` of
 * `offstage/skills` create and check skills.
 */
export interface Skill {
  /** Letters a-z, digits 0-9 and single hyphens between them. 64 characters at most. */
  readonly name: string
  /** Tells the model what the skill is for, and when to use it. 1024 characters at most. */
  readonly description: string
  /** Instructions that the model follows once the skill is active. 100 000 characters at most. */
  readonly instructions: string
  /** Texts that the model reads with `read_skill_file`, by path. */
  readonly files?: { readonly [path: string]: SkillFile }
  /** Tools that the model gets while the skill is active. */
  readonly tools?: readonly (Tool | CompositeTool)[]
  /**
   * Names of the tools that may be called while the skill is active, besides the skill's own and the control tools.
   * Default: all.
   */
  readonly restrictTools?: readonly string[]
  /** For the page's own use. */
  readonly metadata?: unknown
  /**
   * True if the text isn't the app's own: calls that the text spells out then need a person's approval. Default false.
   */
  readonly loaded?: boolean
}

/** Tools that activate skills and read their files. No tool of the page can have these names. */
export const SKILL_TOOLS = ['activate_skill', 'read_skill_file'] as const

/** Returns the tools that come with skills, each once, without tools of the agent itself. */
export function toolsOfSkills(
  skills: readonly Skill[] = [],
  agentTools: readonly (Tool | CompositeTool)[] = [],
): readonly (Tool | CompositeTool)[] {
  const names = skills.map(({ name }) => name)
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate !== undefined) throw badConfig(`Two skills have the name ${duplicate}.`)
  const tools = new Set(skills.flatMap((skill) => skill.tools ?? []))
  return [...tools].filter((tool) => !agentTools.includes(tool))
}
