import { badConfig } from './failures.ts'
import type { CompositeTool, Tool } from './tool.ts'

/** A file's text, or a function that gets it when the model reads it. */
export type SkillFile =
  | string
  | ((context: { readonly signal: AbortSignal }) => string | Promise<string>)

/**
 * Instructions for certain tasks, which the model brings into use when it needs them. `defineSkill` and `loadSkill` of
 * `offstage/skills` make it, and check it.
 */
export interface Skill {
  /** Of a-z, 0-9 and single hyphens between them, 64 characters at most. */
  readonly name: string
  /** For the model: what it is for, and when to use it. 1024 characters at most. */
  readonly description: string
  /** What the model follows once the skill is active. 100 000 characters at most. */
  readonly instructions: string
  /** Texts that the model reads with `read_skill_file`, by their path. */
  readonly files?: { readonly [path: string]: SkillFile }
  /** Tools that the model is offered while the skill is active. */
  readonly tools?: readonly (Tool | CompositeTool)[]
  /**
   * Names of the tools that may be called while the skill is active, besides its own and those that steer the run.
   * Default: all.
   */
  readonly restrictTools?: readonly string[]
  /** For the page's own use. */
  readonly metadata?: unknown
  /** The text is not of the app's own code: for calls that it spells out, a person is asked. Default false. */
  readonly loaded?: boolean
}

/** Tools that steer skills. No tool of the page can have these names. */
export const SKILL_TOOLS = ['activate_skill', 'read_skill_file'] as const

/** The tools that come with skills, each once. What the agent has anyway isn't theirs alone. */
export function toolsOfSkills(
  skills: readonly Skill[] = [],
  others: readonly (Tool | CompositeTool)[] = [],
): readonly (Tool | CompositeTool)[] {
  const names = skills.map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) throw badConfig(`Two skills have the name ${twice}.`)
  const tools = new Set(skills.flatMap((skill) => skill.tools ?? []))
  return [...tools].filter((tool) => !others.includes(tool))
}
