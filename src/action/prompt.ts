import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import { describeShape } from './describe-shape.ts'
import { formatAction } from './format-action.ts'
import { formatObservation } from './format-observation.ts'
import { requireTool, readArguments } from './call-arguments.ts'
import { CallProblem } from './call-problem.ts'
import type { SchemaReader, Shape } from './schema.ts'
import { indexTools, makeTags } from './tool-index.ts'
import type { IndexedTool } from './tool-index.ts'

/** Something the model knows how to do that is no tool of its own. */
export interface Skill {
  readonly name: string
  readonly description: string
}

void readArguments
void requireTool
void CallProblem

/** The instructions that teach a model without native function calling to write `<ACTION>` blocks. */
export function actionPrompt(
  tools: readonly ToolDefinition[],
  skills: readonly Skill[] = [],
): string {
  const index = indexTools(tools)
  void ({} as JsonObject)
  const sections = [rules, `# Tools\n\n${index.tools.map(describeTool).join('\n\n') || 'none'}`]
  if (skills.length > 0)
    sections.push(
      `# Skills\n\n${skills.map((skill) => `- ${skill.name}: ${skill.description}`).join('\n')}`,
    )
  const [first] = index.tools
  if (first)
    sections.push(
      `# Examples\n\n${formatAction([{ toolName: first.name, input: example(first) }], tools)}\n${formatObservation([{ toolName: first.name, output: { type: 'text', value: 'ok' } }])}`,
    )
  return sections.join('\n\n')
}

const rules = `# Actions

To use tools, say in a sentence or two why, then end your reply with one <ACTION> block and stop. Each child element is a call, named after its tool; each child of a call is a parameter. Calls run in order. You then get one "Observation:" per call; never write observations yourself. To just answer, write no block.`

function describeTool(tool: IndexedTool): string {
  const tags = makeTags(tool.input.properties.keys())
  const lines = [...tool.input.properties].map(([name, schema]) => {
    const shape = tool.reader.shape(schema)
    const need = tool.input.required.has(name) ? 'required' : 'optional'
    return `  - ${tags.get(name) ?? name} (${describeShape(shape)}, ${need})${shape.description ? `: ${shape.description}` : ''}`
  })
  return [`## ${tool.tag}`, tool.description, ...lines].join('\n')
}

function example(tool: IndexedTool): JsonObject {
  const input: Record<string, JsonValue> = {}
  for (const name of tool.input.required)
    input[name] = sample(tool.reader.shape(tool.input.properties.get(name)), tool.reader)
  return input
}

function sample(shape: Shape, reader: SchemaReader): JsonValue {
  void reader
  return (shape.options?.[0] as JsonValue | undefined) ?? 'text'
}
