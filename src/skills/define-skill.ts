import { checkNames } from '../client/api/check-names.ts'
import { cleanName } from '../client/tools/clean-name.ts'
import { badConfig } from '../client/api/failures.ts'
import { prepareTool } from '../client/tools/prepare-tool.ts'
import type { Skill } from '../client/features/skill.ts'
import { fileProblem, textProblem } from './check-skill.ts'

/**
 * Defines a skill in code, for `createAgent({ skills })`. Throws `invalid-config`, and any error of `defineTool` for
 * its tools.
 */
export function defineSkill(skill: Skill): Skill {
  checkNames(skill, 'skills', { label: `the skill ${skill?.name}` })
  const problem = textProblem(skill) ?? fileProblem(skill)
  if (problem !== null) throw badConfig(problem)
  const { name, tools = [], restrictTools = [] } = skill
  for (const tool of tools) prepareTool(tool)
  const invalidName = restrictTools.find(
    (each) => typeof each !== 'string' || cleanName(each) === '',
  )
  if (invalidName !== undefined)
    throw badConfig(
      `restrictTools of the skill ${name} must be names of tools, not ${String(invalidName)}.`,
    )
  return Object.freeze({ ...skill })
}
