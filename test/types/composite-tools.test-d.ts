import { expectTypeOf, test } from 'vitest'
import {
  type AgentOptions,
  type CompositeTool,
  defineTool,
  type JsonValue,
  type Tool,
} from '../../src/index.ts'

const inputSchema = {
  type: 'object',
  properties: { n: { type: 'number' } },
  required: ['n'],
} as const

test('a tool with run is composite, and its function knows its input and context', () => {
  const tool = defineTool({
    name: 'sum',
    description: 'Sums.',
    version: '1',
    inputSchema,
    run: async ({ n }, { call, step, now }) => {
      expectTypeOf(n).toEqualTypeOf<number>()
      expectTypeOf(await call('find', { n })).toEqualTypeOf<JsonValue>()
      expectTypeOf(await step('date', () => ({ at: now() }))).toEqualTypeOf<{ at: number }>()
      return 'done'
    },
  })
  expectTypeOf(tool).toEqualTypeOf<CompositeTool<'sum', { n: number }, string>>()
  expectTypeOf([tool]).toExtend<AgentOptions['tools']>()
})

test('a tool with execute is typed as before', () => {
  const tool = defineTool({ name: 'sum', description: 'Sums.', inputSchema, execute: ({ n }) => n })
  expectTypeOf(tool).toEqualTypeOf<Tool<'sum', { n: number }, number>>()
})
