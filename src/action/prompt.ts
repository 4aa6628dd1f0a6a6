import type { ToolDefinition } from '../protocol/tool.ts'
import { describeShape, type IndexedTool, indexTools, makeTags, type Room } from './tool-index.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import { type ActionCall, setOwn } from './call-arguments.ts'
import { formatAction } from './format-action.ts'
import { admits, expandUnions, propertySchema, type Shape } from './schema.ts'

/** Instructions that the model can load on demand; not callable as a tool. */
export interface Skill {
  readonly name: string
  readonly description: string
}

/** Options of `actionPrompt`: what the instructions allow the model. */
export interface ActionPromptOptions {
  /** False allows only one call per block. Default true. */
  readonly parallelToolCalls?: boolean | undefined
}

/**
 * Instructions that teach models without native function calling to write `<ACTION>` blocks. They contain the rules,
 * the tools, the skills, and examples built from the tools themselves. Descriptions are put on one line and their
 * markup is escaped, so no description can fake a block or a section.
 */
export function actionPrompt(
  tools: readonly ToolDefinition[],
  skills: readonly Skill[] = [],
  options: ActionPromptOptions = {},
): string {
  const index = indexTools(tools)
  const { parallelToolCalls: allowsSeveral = true } = options
  const sections = [
    rules(allowsSeveral),
    `# Tools\n\n${index.tools.map(describeTool).join('\n') || 'None.'}`,
  ]
  if (skills.length > 0) sections.push(describeSkills(skills))
  if (tools.length > 0)
    sections.push(`# Examples\n\n${promptExamples(index.tools, tools, allowsSeveral)}`)
  return sections.join('\n\n')
}

const rules = (allowsSeveral: boolean): string => `# How to act

To use tools, say in a sentence why, then end your reply with one <ACTION> block.
- Each element in the block is a call, named after its tool; the elements in it are the parameters. Names are exact.
- ${allowsSeveral ? 'Several calls run in order' : 'Make one call at a time'}.
- A list is <item> elements, an object one element per property.
- Put code, markup or anything with < or & in <![CDATA[ ]]>.
- Then you get one "Observation:" per call. Never write one yourself. After an error, correct the call.
- To answer without a tool, write no block.`

function describeTool(tool: IndexedTool): string {
  const room = { left: 500 }
  const tags = makeTags(tool.input.properties.keys())
  const parameters = [...tool.input.properties].map(([name, schema]) => {
    const shape = tool.reader.shape(schema)
    const need = tool.input.required.has(name) ? 'required' : 'optional'
    const fallback =
      shape.fallback === undefined ? '' : `, default ${JSON.stringify(shape.fallback)}`
    const description = shape.description === undefined ? '' : `: ${oneLine(shape.description)}`
    const type = oneLine(describeShape(shape, room))
    return `\n  - ${tags.get(name) ?? name} (${type}, ${need}${oneLine(fallback)})${description}`
  })
  return `- ${tool.tag}: ${oneLine(tool.description)}${parameters.join('')}`
}

/** Returns the section that lists the skills; '' if there are none. */
export function describeSkills(skills: readonly Skill[]): string {
  return skills.length > 0 ? `# Skills\n\n${skills.map(describeSkill).join('\n')}` : ''
}

function describeSkill(skill: Skill): string {
  return `- ${oneLine(skill.name)}: ${oneLine(skill.description)}`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const codeName = /code|content|html|script|body|text|markdown|diff/i
const sampleCode = 'if (a < b && c) {\n  run()\n}'

/**
 * Few-shot examples with the registered tools, as far as the tools allow. They show a plain reply, a simple
 * call, lists and nested values, CDATA, several calls if allowed, and a correction after an error.
 */
function promptExamples(
  tools: readonly IndexedTool[],
  definitions: readonly ToolDefinition[],
  allowsSeveral: boolean,
): string {
  const format = (calls: readonly ActionCall[]): string => formatAction(calls, definitions)
  const byWeight = tools.toSorted((a, b) => weight(a) - weight(b))
  const [first, second] = byWeight
  if (!first) return ''
  const nestedTool = tools.find((tool) => parameters(tool).some(([, shape]) => isNested(shape)))
  const textTools = tools.filter((tool) => textParameter(tool) !== undefined)
  const codeTool =
    textTools.find((tool) => codeName.test(textParameter(tool) ?? '')) ?? textTools[0]
  const examples = [
    'A plain reply:\nHello, how can I help?',
    `A call:\nI need this to answer.\n${format([sampleCall(first)])}`,
    nestedTool &&
      `Lists and nested values:\nI'll pass these on.\n${format([sampleCall(nestedTool, true)])}`,
    codeTool && `Code and markup:\nThis is the text.\n${format([codeCall(codeTool)])}`,
    allowsSeveral &&
      second &&
      `Several calls:\nFirst one, then the other.\n${format([sampleCall(first), sampleCall(second)])}`,
    correction(byWeight, format),
  ]
  return examples.filter(Boolean).join('\n\n')
}

/** Returns the example of a corrected call, without the wrong call and its error: small models copy them. */
function correction(
  tools: readonly IndexedTool[],
  format: (calls: readonly ActionCall[]) => string,
): string | undefined {
  const tool = tools.find((candidate) => candidate.input.required.size > 0)
  const [name = ''] = tool?.input.required ?? []
  const tag = tool && makeTags(tool.input.properties.keys()).get(name)
  return (
    tag &&
    `After the error "missing required parameter '${tag}'":\nI left out ${tag}.\n${format([sampleCall(tool)])}`
  )
}

function weight(tool: IndexedTool): number {
  const needed = parameters(tool).filter(([name]) => tool.input.required.has(name))
  return (
    (needed.length === 0 ? 10 : needed.length) +
    (needed.some(([, shape]) => isNested(shape)) ? 20 : 0)
  )
}

function parameters(tool: IndexedTool): [string, Shape][] {
  return [...tool.input.properties].map(([name, schema]) => [name, tool.reader.shape(schema)])
}

function isNested(shape: Shape): boolean {
  return (
    admits(shape, 'array') ||
    (admits(shape, 'object') && expandUnions(shape).some((leaf) => leaf.properties.size > 0))
  )
}

function textParameter(tool: IndexedTool): string | undefined {
  const texts = parameters(tool).filter(
    ([, shape]) => shape.types[0] === 'string' && !shape.options,
  )
  return (texts.find(([name]) => codeName.test(name)) ?? texts[0])?.[0]
}

function codeCall(tool: IndexedTool): ActionCall {
  const call = sampleCall(tool)
  return { ...call, input: { ...call.input, [textParameter(tool) ?? '']: sampleCode } }
}

function sampleCall(tool: IndexedTool, withNested: boolean = false): ActionCall {
  const names = parameters(tool).flatMap(([name, shape]) =>
    tool.input.required.has(name) || (withNested && isNested(shape)) ? name : [],
  )
  return { toolName: tool.name, input: sampleObject(tool.input, names, [{ left: 500 }, 0]) }
}

type SampleScope = readonly [room: Room, depth: number]

function sample(name: string, shape: Shape, scope: SampleScope): JsonValue {
  const [room, depth] = scope
  if (shape.fallback !== undefined) return shape.fallback
  if (shape.options) return (shape.options[0] ?? null) as JsonValue
  const [branch] = shape.branches ?? []
  if (branch) return sample(name, branch, scope)
  const isShort = depth > 3 || (room.left -= 1 + shape.required.size) < 0
  switch (shape.types[0]) {
    case 'integer':
      return 3
    case 'number':
      return 1.5
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array': {
      const item = shape.itemAt(0)
      const example = isShort ? 'a' : sample('a', item, [room, depth + 1])
      return typeof example === 'string' && !item.options ? [example, 'example b'] : [example]
    }
    case 'object': {
      // An example without properties would teach the model to omit them, so at least one is shown.
      const names =
        shape.required.size > 0 ? shape.required : [...shape.properties.keys()].slice(0, 1)
      return isShort ? {} : sampleObject(shape, names, [room, depth + 1])
    }
    default:
      return `example ${name}`
  }
}

function sampleObject(shape: Shape, names: Iterable<string>, scope: SampleScope): JsonObject {
  const input: Record<string, JsonValue> = {}
  for (const name of names)
    setOwn(input, name, sample(name, shape.schemaReader.shape(propertySchema(shape, name)), scope))
  return input
}
