import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { createAgent, defineTool } from '../../src/index.ts'
import type { InferInput, RunEvent, RunResult, Tool } from '../../src/index.ts'

type Equal<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false
const expectType = <_Check extends true>(): void => {}

/** The input type that a tool's `execute` receives. */
type InputOf<Defined> = Defined extends { execute(input: infer Input, ...rest: never[]): unknown }
  ? Input
  : never

const description = 'A tool.'

const cart = defineTool({
  name: 'add_to_cart',
  description,
  inputSchema: {
    type: 'object',
    properties: {
      sku: { type: 'string' },
      quantity: { type: 'integer' },
      size: { enum: ['s', 'm', 2] },
      kind: { const: 'gift' },
      tags: { type: 'array', items: { type: 'string' } },
      note: { type: ['string', 'null'] },
      who: {
        anyOf: [
          { type: 'boolean' },
          { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
        ],
      },
      anything: {},
      open: { type: 'object' },
    },
    required: ['sku', 'size'],
  },
  execute(input) {
    expectType<Equal<typeof input.sku, string>>()
    return { ok: input.sku.length > 0 }
  },
})
expectType<
  Equal<
    InputOf<typeof cart>,
    {
      sku: string
      size: 's' | 'm' | 2
      quantity?: number
      kind?: 'gift'
      tags?: string[]
      note?: string | null
      who?: boolean | { id: number }
      anything?: unknown
      open?: Record<string, unknown>
    }
  >
>()
expectType<Equal<(typeof cart)['name'], 'add_to_cart'>>()

const zod = defineTool({
  name: 'zod',
  description,
  inputSchema: z.object({
    a: z.string(),
    n: z.number().default(1),
    length: z.string().transform((s) => s.length),
  }),
  execute: async (input, { signal }) => (signal.aborted ? 0 : input.n),
})
expectType<Equal<InputOf<typeof zod>, { a: string; n: number; length: number }>>()

const valibot = defineTool({
  name: 'valibot',
  description,
  inputSchema: v.object({ a: v.string(), n: v.optional(v.number(), 1) }),
  jsonSchema: { type: 'object' },
  execute: (input) => input.n,
})
expectType<Equal<InputOf<typeof valibot>, { a: string; n: number }>>()

const ark = defineTool({
  name: 'arktype',
  description,
  inputSchema: type({ a: 'string', 'n?': 'number' }),
  execute: (input) => input.a,
})
expectType<Equal<InputOf<typeof ark>, { a: string; n?: number }>>()

const bare = defineTool({ name: 'bare', description, execute: (input) => Object.keys(input) })
expectType<Equal<InputOf<typeof bare>, Record<string, unknown>>>()

const wide: { type: 'object'; properties: Record<string, { type: string }> } = {
  type: 'object',
  properties: {},
}
expectType<Equal<InferInput<typeof wide>, { [name: string]: unknown }>>()

// Mixed arrays, and tools with every option, fit where tools are taken.
const full = defineTool({
  name: 'full',
  description,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  needsApproval: (input) => input.id === 'root',
  reconcile: async (input, { idempotencyKey }) => ({
    happened: true,
    result: input.id + idempotencyKey,
  }),
  toModelOutput: (output: { rows: number }, input) => `${input.id}: ${output.rows}`,
  execute: async () => ({ rows: 1 }),
})
const tools: readonly Tool[] = [cart, zod, valibot, ark, bare, full]
export const agent = createAgent({
  model: { provider: 'ollama', model: 'm' },
  tools: [cart, zod, valibot, ark, bare, full],
})
for (const tool of tools) agent.registerTool(tool, { replace: true })

// Events and results narrow by their tags.
export function narrow(event: RunEvent, result: RunResult): string {
  switch (event.type) {
    case 'text-delta':
      expectType<Equal<typeof event.delta, string>>()
      return event.delta
    case 'run-end':
      expectType<Equal<typeof event.result, RunResult>>()
      break
    default:
      expectType<Equal<typeof event.seq, number>>()
  }
  if (result.outcome === 'failed') {
    expectType<Equal<typeof result.error.retryable, boolean>>()
    return result.error.message
  }
  if (result.outcome === 'waiting') return result.pending.map(({ kind }) => kind).join()
  return result.outcome === 'aborted' ? result.reason : result.text
}
agent.on('storage', (event) => {
  expectType<
    Equal<typeof event.mode, 'durable' | 'memory' | 'blocked' | 'newer' | 'failed' | 'offline'>
  >()
})
