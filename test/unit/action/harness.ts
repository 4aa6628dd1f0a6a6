import { createActionScanner } from '../../../src/action/index.ts'
import type { ActionScannerOptions } from '../../../src/action/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { ToolDefinition } from '../../../src/protocol/tool.ts'

export interface Outcome {
  text: string
  calls: { toolName: string; input: unknown }[]
  error: string | null
  suggestion: string | undefined
}

/** The outcome of a stream of parts, in the form of the corpus. */
export function toOutcome(parts: readonly StreamPart[]): Outcome {
  const outcome: Outcome = { text: '', calls: [], error: null, suggestion: undefined }
  for (const part of parts) {
    if (part.type === 'text-delta') outcome.text += part.delta
    // All before was a thought, the calls included; the text was shown.
    if (part.type === 'warning' && part.code === 'lone-think-closer') {
      outcome.calls = []
      outcome.error = null
      outcome.suggestion = undefined
    }
    if (part.type === 'tool-call' && part.input !== undefined)
      outcome.calls.push({ toolName: part.toolName, input: part.input })
    if ((part.type === 'tool-call' || part.type === 'action-error') && part.error) {
      outcome.error ??= part.error.code
      outcome.suggestion ??= part.error.suggestion
    }
  }
  return { ...outcome, text: outcome.text.trim() }
}

export function cut(text: string, size: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  return pieces
}

/** Streams the pieces; `watch` sees the text handed out so far after each. */
export function stream(
  pieces: readonly string[],
  tools: readonly ToolDefinition[],
  options: ActionScannerOptions & { finishReason?: string } = {},
  watch: (shown: string) => void = () => {},
): StreamPart[] {
  const { finishReason, ...rest } = options
  const scanner = createActionScanner(tools, { newId: () => 'id', ...rest })
  const parts: StreamPart[] = []
  let shown = ''
  const take = (next: StreamPart[]): void => {
    for (const part of next) if (part.type === 'text-delta') shown += part.delta
    parts.push(...next)
    watch(shown)
  }
  for (const piece of pieces) take(scanner.push(piece))
  take(scanner.end(finishReason === undefined ? {} : { finishReason }))
  return parts
}

export function tool(
  name: string,
  properties: Record<string, unknown>,
  required: string[] = [],
): ToolDefinition {
  return {
    name,
    description: `The ${name} tool.`,
    inputSchema: { type: 'object', properties, required },
  }
}

const string = { type: 'string' }

/** Tools of many shapes, for the table tests. */
export const tools: readonly ToolDefinition[] = [
  tool('search', { query: string, limit: { type: 'integer' }, exact: { type: 'boolean' } }, [
    'query',
  ]),
  tool('click', { index: { type: 'integer' }, button: { enum: ['left', 'middle', 'right'] } }, [
    'index',
  ]),
  tool('list_tabs', {}),
  tool('write_file', { path: string, content: string, overwrite: { type: 'boolean' } }, [
    'path',
    'content',
  ]),
  tool('run_js', { code: string }, ['code']),
  tool('done', { text: string, success: { type: 'boolean' } }, ['text']),
  tool('save_meta', { id: string, meta: { type: 'object', additionalProperties: true } }, [
    'id',
    'meta',
  ]),
  tool(
    'tag_items',
    { ids: { type: 'array', items: string }, tags: { type: 'array', items: string } },
    ['ids'],
  ),
  tool('sum', { values: { type: 'array', items: { type: 'number' } } }, ['values']),
  tool('plan', {
    steps: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          title: string,
          done: { type: 'boolean' },
          substeps: { type: 'array', items: string },
        },
        required: ['title'],
      },
    },
  }),
]

/** `JSON.stringify` with a fixed order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  )
}
