import { type ForeignSchema, readForeignSchema } from '../lib/foreign-schema.ts'
import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'
import { shortWords } from './failures.ts'
import { parametersProblem } from './parameters-problem.ts'
import type { McpHints, McpToolInfo } from './tool-info.ts'

/** Most characters of a description that the model gets. */
const MAX_DESCRIPTION = 4000

/** A tool from a server's list, or the reason why it is left out. */
export type CheckedTool =
  | { readonly info: McpToolInfo; readonly isCleaned: boolean }
  | { readonly name: string; readonly problem: string }

/** Reads a server's untrusted description of a tool, and removes hidden characters. Pure. */
export function checkTool(said: unknown): CheckedTool {
  if (!isRecord(said) || typeof said.name !== 'string' || said.name === '')
    return { name: '', problem: 'has no name' }
  const { name, title, description, inputSchema, annotations } = said
  if (name.length > 128 || withoutHidden(name) !== name)
    return {
      name: shortWords(name, 128),
      problem: 'has a name that is too long or hides something',
    }
  const read = readSchema(inputSchema)
  if ('problem' in read) return { name, problem: `has a schema that ${read.problem}` }
  const { schema } = read
  const text = typeof description === 'string' ? description : ''
  const clean = shortWords(text, MAX_DESCRIPTION).trim()
  const hints = readHints(annotations)
  const shownTitle =
    titleOf(title) ?? titleOf(isRecord(annotations) ? annotations.title : undefined)
  return {
    info: {
      name,
      ...(shownTitle !== undefined && { title: shownTitle }),
      description: clean,
      inputSchema: schema,
      hints,
    },
    isCleaned: clean !== text.trim() || JSON.stringify(schema) !== JSON.stringify(inputSchema),
  }
}

function titleOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== ''
    ? shortWords(value.replace(/\s+/g, ' ').trim(), 100)
    : undefined
}

function readHints(said: unknown): McpHints {
  if (!isRecord(said)) return {}
  const names = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
  return Object.fromEntries(
    names.flatMap((name) => (typeof said[name] === 'boolean' ? [[name, said[name]]] : [])),
  )
}

function readSchema(said: unknown): ForeignSchema {
  if (!isRecord(said)) return { problem: 'is no object' }
  const read = readForeignSchema(said)
  const problem = 'schema' in read ? parametersProblem(read.schema) : null
  return problem === null ? read : { problem }
}
