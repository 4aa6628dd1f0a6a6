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
  wrongAt,
  COMPOSITE_TOOL_FIELDS,
  MEMORY_FIELDS,
  SKILL_FIELDS,
} from './fields.ts'

type Described = Pick<AgentConfig | SubAgentConfig, 'skills' | 'memory' | 'compositeTools'>
type AnyTool = Tool | CompositeTool

const byName = <Value>(record: { readonly [name: string]: Value } = {}): Map<unknown, Value> =>
  new Map(Object.entries(record))

/** The skills that the configuration describes or names. Without the field `skills`, all skills in `parts`. */
export function skillsOf({ skills }: Described, parts: ConfigParts): readonly Skill[] | undefined {
  if (skills === undefined) return parts.skills
  const among = new Map<unknown, Skill>(parts.skills?.map((skill) => [skill?.name, skill]))
  const tools = new Map<unknown, AnyTool>(parts.tools?.map((tool) => [tool.name, tool]))
  return listOf(skills, 'skills', 'names').map((item, at) => {
    const place = `skills[${at}]`
    if (typeof item !== 'object' || item === null)
      return findNamed(place, { name: item, what: 'skill', among })
    return withErrorPath(place, () => {
      checkFields(item, SKILL_FIELDS, { of: 'The skill' })
      const own = listOf(item.tools, 'tools', 'names').map((name, index) =>
        findNamed(`tools[${index}]`, { name, what: 'tool', among: tools }),
      )
      return defineSkill({ ...item, tools: own })
    })
  })
}

/** The memories that the configuration describes or names. */
export function memoriesIn(
  { memory }: Described,
  { memories }: ConfigParts,
  { storage }: Pick<AgentConfig, 'storage'>,
): readonly AgentMemory[] {
  const among = byName(memories)
  return listOf(memory, 'memory', 'memories').map((item, at) => {
    const place = `memory[${at}]`
    const isNamed = typeof item === 'string'
    if (!isNamed) checkKind(place, item)
    const { kind, ...options } = isNamed ? { kind: item } : item
    const path = isNamed ? place : `${place}.kind`
    const found = findNamed(path, { name: kind, what: 'memory', among })
    if (typeof found === 'object') {
      if (isNamed) return found
      throw wrongAt(path, `${path}: ${kind} is a memory, not a memory kind. Write its name only.`)
    }
    const make = found as (options: object) => AgentMemory
    // Memories can't use a custom store of the worker, so they keep their default storage.
    const shared = storage === undefined || (storage !== 'memory' && 'type' in storage)
    return withErrorPath(place, () => make(shared ? options : { storage, ...options }))
  })
}

function checkKind(place: string, item: unknown): void {
  const kind = (item as { readonly kind?: unknown } | null)?.kind
  const known = new Map<unknown, readonly string[]>(Object.entries(MEMORY_FIELDS))
  withErrorPath(place, () => checkFields(item, known.get(kind) ?? ['kind'], { of: 'The memory' }))
}

/** The composite tools that the configuration describes, with their functions. */
export function compositesOf(
  { compositeTools }: Described,
  { functions }: ConfigParts,
): readonly CompositeTool[] {
  const among = byName(functions)
  return listOf(compositeTools, 'compositeTools', 'tools').map((item, at) =>
    withErrorPath(`compositeTools[${at}]`, () => {
      checkFields(item, COMPOSITE_TOOL_FIELDS, { of: 'The composite tool' })
      const tool = { ...item, run: findNamed('run', { name: item.run, what: 'function', among }) }
      return prepareTool(tool).tool as CompositeTool
    }),
  )
}
