import { prepareTool } from '../../../client/tools/prepare-tool.ts'
import type { AgentMemory } from '../../../client/features/memory.ts'
import type { Skill } from '../../../client/features/skill.ts'
import type { CompositeTool, Tool } from '../../../client/tools/tool.ts'
import { defineSkill } from '../../../skills/define-skill.ts'
import type { AgentConfig, ConfigParts, SubAgentConfig } from './agent-config.ts'
import {
  checkFields,
  listOf,
  findNamed,
  withErrorPath,
  configError,
  COMPOSITE_TOOL_FIELDS,
  MEMORY_FIELDS,
  SKILL_FIELDS,
} from './fields.ts'

type Described = Pick<AgentConfig | SubAgentConfig, 'skills' | 'memory' | 'compositeTools'>
type AnyTool = Tool | CompositeTool

const byName = <Value>(record: { readonly [name: string]: Value } = {}): Map<unknown, Value> =>
  new Map(Object.entries(record))

/** The skills that the configuration defines or names. Default: all skills in `parts`. */
export function skillsOf({ skills }: Described, parts: ConfigParts): readonly Skill[] | undefined {
  if (skills === undefined) return parts.skills
  const candidates = new Map<unknown, Skill>(parts.skills?.map((skill) => [skill?.name, skill]))
  const tools = new Map<unknown, AnyTool>(parts.tools?.map((tool) => [tool.name, tool]))
  return listOf(skills, 'skills', 'names').map((item, at) => {
    const itemPath = `skills[${at}]`
    if (typeof item !== 'object' || item === null)
      return findNamed(itemPath, { name: item, kind: 'skill', candidates })
    return withErrorPath(itemPath, () => {
      checkFields(item, SKILL_FIELDS, { label: 'The skill' })
      const skillTools = listOf(item.tools, 'tools', 'names').map((name, index) =>
        findNamed(`tools[${index}]`, { name, kind: 'tool', candidates: tools }),
      )
      return defineSkill({ ...item, tools: skillTools })
    })
  })
}

/** The memories that the configuration describes or names. */
export function memoriesIn(
  { memory }: Described,
  { memories }: ConfigParts,
  { storage }: Pick<AgentConfig, 'storage'>,
): readonly AgentMemory[] {
  const candidates = byName(memories)
  return listOf(memory, 'memory', 'memories').map((item, at) => {
    const itemPath = `memory[${at}]`
    const isNamed = typeof item === 'string'
    if (!isNamed) checkKind(itemPath, item)
    const { kind, ...options } = isNamed ? { kind: item } : item
    const path = isNamed ? itemPath : `${itemPath}.kind`
    const found = findNamed(path, { name: kind, kind: 'memory', candidates })
    if (typeof found === 'object') {
      if (isNamed) return found
      throw configError(
        path,
        `${path}: ${kind} is a memory, not a memory kind. Write its name only.`,
      )
    }
    const make = found as (options: object) => AgentMemory
    // Memories can't use a custom store of the worker, so they keep their default storage.
    const isDefaultStorage = storage === undefined || (storage !== 'memory' && 'type' in storage)
    return withErrorPath(itemPath, () => make(isDefaultStorage ? options : { storage, ...options }))
  })
}

function checkKind(path: string, item: unknown): void {
  const kind = (item as { readonly kind?: unknown } | null)?.kind
  const fieldsByKind = new Map<unknown, readonly string[]>(Object.entries(MEMORY_FIELDS))
  withErrorPath(path, () =>
    checkFields(item, fieldsByKind.get(kind) ?? ['kind'], { label: 'The memory' }),
  )
}

/** The composite tools that the configuration describes, with their functions. */
export function compositesOf(
  { compositeTools }: Described,
  { functions }: ConfigParts,
): readonly CompositeTool[] {
  const candidates = byName(functions)
  return listOf(compositeTools, 'compositeTools', 'tools').map((item, at) =>
    withErrorPath(`compositeTools[${at}]`, () => {
      checkFields(item, COMPOSITE_TOOL_FIELDS, { label: 'The composite tool' })
      const tool = {
        ...item,
        run: findNamed('run', { name: item.run, kind: 'function', candidates }),
      }
      return prepareTool(tool).tool as CompositeTool
    }),
  )
}
