import {
  type CompositeTool,
  defineTool,
  type JsonSchema,
  type JsonValue,
  type Tool,
} from 'offstage'
import type { Scene } from '../app.ts'

export type AnyTool = Tool | CompositeTool

/** Changes that a visitor made to a tool. None is code: the page's policy runs none that comes from text. */
export interface ToolEdit {
  readonly description: string
  readonly inputSchema: JsonSchema
  readonly approval: 'default' | 'always' | 'never'
  /** Only of a visitor's own tool: its output, in which `{{city}}` stands for the parameter `city`. */
  readonly answer?: string
}

/** Edits by the tool's name. */
export type ToolEdits = Readonly<Record<string, ToolEdit>>

/** The app's tools with their edits, and the visitor's own tools. */
export function editTools(tools: readonly AnyTool[], edits: ToolEdits): readonly AnyTool[] {
  const ownEntries = Object.entries(edits).filter(([name]) =>
    tools.every((tool) => tool.name !== name),
  )
  return [
    ...tools.map((tool) => editTool(tool, edits[tool.name])),
    ...ownEntries.map(([name, edit]) => ownTool(name, edit)),
  ]
}

export function editTool(tool: AnyTool, edit: ToolEdit | undefined): AnyTool {
  if (!edit) return tool
  const { description, inputSchema, approval } = edit
  const changed = { ...tool, description, inputSchema }
  return approval === 'default' ? changed : { ...changed, needsApproval: approval === 'always' }
}

/** Throws if Offstage takes no such tool. */
export function ownTool(name: string, edit: ToolEdit): Tool {
  const { description, inputSchema, approval, answer = '' } = edit
  return defineTool({
    name,
    description,
    inputSchema,
    ...(approval !== 'default' && { needsApproval: approval === 'always' }),
    execute: (input) => fillTemplate(answer, { ...(input as object) }),
  })
}

/** A scene for each of the visitor's own tools, so that the script can call it. */
export function ownScenes(edits: ToolEdits): readonly Scene[] {
  return Object.entries(edits).flatMap(([name, { inputSchema, answer }]) => {
    if (answer === undefined) return []
    const call = { toolName: name, input: sampleOf(inputSchema) }
    const steps = [
      { toolCalls: [call] },
      { text: `Your tool ${name} has answered: its result is above.` },
    ]
    return [{ prompt: promptFor(name), script: { match: [promptFor(name)], steps } }]
  })
}

export const promptFor = (name: string): string => `Use ${name}`

function fillTemplate(template: string, input: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (_, name: string) => {
    const value = input[name] ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

interface SampledSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, SampledSchema>>
  readonly items?: SampledSchema
  readonly enum?: readonly JsonValue[]
  readonly examples?: readonly JsonValue[]
  readonly default?: JsonValue
  readonly minimum?: number
}

/** An input that fits a simple schema. The agent checks it as it checks a model's. */
function sampleOf(schema: SampledSchema): JsonValue {
  const sample = schema.examples?.[0] ?? schema.default ?? schema.enum?.[0]
  if (sample !== undefined) return sample
  switch (schema.type) {
    case 'number':
    case 'integer':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return [sampleOf(schema.items ?? {})]
    case 'object': {
      const fields = Object.entries(schema.properties ?? {})
      return Object.fromEntries(fields.map(([name, field]) => [name, sampleOf(field)]))
    }
    default:
      return 'example'
  }
}
