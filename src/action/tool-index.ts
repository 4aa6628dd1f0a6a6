import type { ToolDefinition } from '../protocol/tool.ts'
import { SchemaReader, type Shape } from './schema.ts'

const maxDepth = 3

/** How many more names may be described. Without a limit, recursive schemas would multiply with each level. */
export interface Room {
  left: number
}

/**
 * Describes a schema in errors and prompts: `integer`, `one of left, right`. If `room` is given, also describes nested
 * schemas: `list of string`, `object { zip: string, city?: string }`.
 */
export function describeShape(shape: Shape, room?: Room, depth: number = 0): string {
  if (shape.options) return describeOptions(shape.options)
  if (shape.branches)
    return [...new Set(shape.branches.map((branch) => describeShape(branch, room, depth)))].join(
      ' or ',
    )
  const isDetailed = room && depth < maxDepth && (room.left -= 1 + shape.properties.size) > 0
  const describe = (inner: Shape): string => describeShape(inner, room, depth + 1)
  const names = shape.types.map((type) => {
    if (type === 'array') return isDetailed ? `list of ${describe(shape.itemAt(0))}` : 'list'
    if (type !== 'object' || !isDetailed || shape.properties.size === 0) return type
    const entries = [...shape.properties].map(([name, schema]) => {
      const mark = shape.required.has(name) ? '' : '?'
      return `${name}${mark}: ${describe(shape.schemaReader.shape(schema))}`
    })
    return `object { ${entries.join(', ')} }`
  })
  return names.join(' or ') || 'any value'
}

function describeOptions(options: readonly unknown[]): string {
  const names = options.map((option) =>
    typeof option === 'string' ? option : JSON.stringify(option),
  )
  return names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`
}

/** A value in quotation marks, shortened to fit an error. */
export function quote(text: string): string {
  return text.length > 80 ? `'${text.slice(0, 77)}…'` : `'${text}'`
}

/** A tool as the reader needs it: with a parsed schema and a legal XML name. */
export interface IndexedTool {
  readonly name: string
  readonly tag: string
  readonly description: string
  readonly input: Shape
  readonly reader: SchemaReader
}

/** Tools by name and by tag. Uses a `Map`, which has no inherited entries, so `constructor` finds nothing (R17). */
export interface ToolIndex {
  readonly tools: readonly IndexedTool[]
  find(name: string): IndexedTool | undefined
}

/** Excludes `ACTION`, the name of the block. */
const legalName = /^(?!ACTION$)[\p{L}_][\p{L}\p{N}_.-]*$/u

export function indexTools(definitions: readonly ToolDefinition[]): ToolIndex {
  const tags = makeTags(
    definitions.map((tool) => tool.name),
    // Excludes `ACTION` in any letter case, because a tool's closer could be taken for the block's.
    /^(?!action$)[\p{L}_][\p{L}\p{N}_.-]*$/iu,
  )
  const byName = new Map<string, IndexedTool>()
  const tools = definitions.map((definition) => {
    const reader = new SchemaReader(definition.inputSchema)
    const { name, description } = definition
    const tag = tags.get(name) ?? name
    const tool = {
      name,
      tag,
      description,
      input: reader.shape(definition.inputSchema),
      reader,
    }
    byName.set(tag, tool)
    return tool
  })
  for (const tool of tools) byName.set(tool.name, tool)
  return { tools, find: (name) => byName.get(name) }
}

/** Returns a legal XML name for each name. Legal names stay unchanged. */
export function makeTags(names: Iterable<string>, legal: RegExp = legalName): Map<string, string> {
  const all = [...names]
  const usedTags = new Set(all.filter((name) => legal.test(name)))
  const tags = new Map<string, string>()
  for (const name of all) tags.set(name, legal.test(name) ? name : freeTag(name, legal, usedTags))
  return tags
}

function freeTag(name: string, legal: RegExp, usedTags: Set<string>): string {
  const cleaned = name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '_')
  const base = legal.test(cleaned) ? cleaned : `_${cleaned}`
  let tag = base
  for (let count = 2; usedTags.has(tag); count++) tag = `${base}_${count}`
  usedTags.add(tag)
  return tag
}

/** Returns the property that a tag stands for. A property's own name takes precedence over aliases. */
export function propertyOfTag(shape: Shape, tag: string): string {
  if (shape.properties.has(tag)) return tag
  for (const [name, alias] of makeTags(shape.properties.keys())) if (alias === tag) return name
  return tag
}

/** Returns the expected parameters for an error message: `player_id (string, required), limit (integer)`. */
export function describeParameters(
  { input, reader }: Pick<IndexedTool, 'input' | 'reader'>,
  optional: string = '',
): string {
  const room = { left: 500 }
  const list = [...input.properties].map(
    ([name, schema]) =>
      `${name} (${describeShape(reader.shape(schema), room)}${input.required.has(name) ? ', required' : optional})`,
  )
  return list.length === 0 ? 'no parameters' : list.join(', ')
}
