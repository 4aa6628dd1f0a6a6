import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import type { ActionCall } from './call-arguments.ts'
import { formatAction } from './format-action.ts'
import { setOwn } from './coerce.ts'
import { admits, leaves, propertySchema } from './schema.ts'
import type { Shape } from './schema.ts'
import { makeTags } from './tool-index.ts'
import type { IndexedTool } from './tool-index.ts'

const codeName = /code|content|html|script|body|text|markdown|diff/i
const sampleCode = 'if (a < b && c) {\n  run()\n}'

/**
 * Few-shot examples with the registered tools: a plain reply, a simple call, lists and nested values,
 * CDATA, several calls if they are allowed, and a correction after an error; as far as the tools allow.
 */
export function promptExamples(
  tools: readonly IndexedTool[],
  definitions: readonly ToolDefinition[],
  several: boolean,
): string {
  const write = (calls: readonly ActionCall[]): string => formatAction(calls, definitions)
  const simple = tools.toSorted((a, b) => weight(a) - weight(b))
  const [first, second] = simple
  if (!first) return ''
  const nested = tools.find((tool) => parameters(tool).some(([, shape]) => isNested(shape)))
  const texts = tools.filter((tool) => textParameter(tool) !== undefined)
  const coded = texts.find((tool) => codeName.test(textParameter(tool) ?? '')) ?? texts[0]
  const examples = [
    'A plain reply:\nHello, how can I help?',
    `A call:\nI need this to answer.\n${write([sampleCall(first)])}`,
    nested && `Lists and nested values:\nI'll pass these on.\n${write([sampleCall(nested, true)])}`,
    coded && `Code and markup:\nThis is the text.\n${write([codeCall(coded)])}`,
    several &&
      second &&
      `Several calls:\nFirst one, then the other.\n${write([sampleCall(first), sampleCall(second)])}`,
    correction(simple, write),
  ]
  return examples.filter(Boolean).join('\n\n')
}

/** The example of a mended call. The wrong call and the observation are left out: small models copy what they see. */
function correction(
  tools: readonly IndexedTool[],
  write: (calls: readonly ActionCall[]) => string,
): string | undefined {
  const tool = tools.find((candidate) => candidate.input.required.size > 0)
  const [name = ''] = tool?.input.required ?? []
  const tag = tool && makeTags(tool.input.properties.keys()).get(name)
  return (
    tag &&
    `After the error "missing required parameter '${tag}'":\nI left out ${tag}.\n${write([sampleCall(tool)])}`
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
    (admits(shape, 'object') && leaves(shape).some((leaf) => leaf.properties.size > 0))
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
  const input: Record<string, JsonValue> = {}
  for (const [name, shape] of parameters(tool)) {
    if (tool.input.required.has(name) || (withNested && isNested(shape)))
      setOwn(input, name, sample(name, shape, 0))
  }
  return { toolName: tool.name, input }
}

function sample(name: string, shape: Shape, depth: number): JsonValue {
  if (shape.fallback !== undefined) return shape.fallback
  if (shape.options) return (shape.options[0] ?? null) as JsonValue
  const [branch] = shape.branches ?? []
  if (branch) return sample(name, branch, depth)
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
      const item = shape.schemas.shape(shape.itemAt(0))
      const one = depth > 3 ? 'a' : sample('a', item, depth + 1)
      return typeof one === 'string' && !item.options ? [one, 'example b'] : [one]
    }
    case 'object':
      return depth > 3 ? {} : sampleObject(shape, depth)
    default:
      return `example ${name}`
  }
}

function sampleObject(shape: Shape, depth: number): JsonObject {
  const input: Record<string, JsonValue> = {}
  // An object without properties would teach that they are left out.
  const [first] = shape.properties.keys()
  const names = shape.required.size > 0 || first === undefined ? shape.required : [first]
  for (const name of names)
    setOwn(input, name, sample(name, shape.schemas.shape(propertySchema(shape, name)), depth + 1))
  return input
}
