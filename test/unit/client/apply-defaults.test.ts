import { expect, test } from 'vitest'
import { applyDefaults } from '../../../src/client/tools/apply-defaults.ts'
import type { Tool } from '../../../src/index.ts'
import type { JsonSchema, JsonValue } from '../../../src/protocol/json.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const limit = { type: 'integer', default: 10 }
const page = { type: 'object', properties: { limit, at: { default: [1] } } }

test.each<[string, JsonSchema, JsonValue, JsonValue]>([
  ['at the top', { properties: { limit } }, {}, { limit: 10 }],
  [
    'but not a null or a value',
    { properties: { a: limit, b: limit } },
    { a: null, b: 0 },
    { a: null, b: 0 },
  ],
  ['but nothing without one', { properties: { a: { type: 'string' }, b: true } }, {}, {}],
  ['in an object', { properties: { page } }, { page: {} }, { page: { limit: 10, at: [1] } }],
  ['but not in an object that is left out', { properties: { page } }, {}, {}],
  [
    'in an object that is a default itself',
    { properties: { page: { ...page, default: { at: [] } } } },
    {},
    { page: { at: [], limit: 10 } },
  ],
  [
    'in the items of a list',
    { properties: { pages: { type: 'array', prefixItems: [true], items: page } } },
    { pages: [{}, { at: [] }, 'x'] },
    { pages: [{}, { at: [], limit: 10 }, 'x'] },
  ],
  [
    'in other properties',
    { properties: { a: true }, additionalProperties: page },
    { a: {}, b: {} },
    { a: {}, b: { limit: 10, at: [1] } },
  ],
  [
    'of all of several',
    { allOf: [page, { properties: { b: limit } }] },
    {},
    { limit: 10, at: [1], b: 10 },
  ],
  ['but of no branch', { anyOf: [page], oneOf: [page], if: false, else: page }, {}, {}],
  [
    'behind a reference',
    { properties: { page: { $ref: '#/$defs/the~1page' } }, $defs: { 'the/page': page } },
    { page: {} },
    { page: { limit: 10, at: [1] } },
  ],
  [
    'in a tree',
    { properties: { next: { $ref: '#' }, limit } },
    { next: { next: {} } },
    { next: { next: { limit: 10 }, limit: 10 }, limit: 10 },
  ],
  [
    'but not for ever',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    { b: 1 },
    { b: 1 },
  ],
  ['but nothing where a reference leads nowhere', { $ref: '#/$defs/a' }, {}, {}],
])('an omitted property gets its default, %s', (_, schema, input, expected) => {
  const before = JSON.stringify([schema, input])
  expect(applyDefaults(schema, input)).toEqual(expected)
  expect(JSON.stringify([schema, input])).toBe(before)
})

test('defaults never set a prototype', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"default":{"polluted":true}}}}',
  ) as JsonSchema
  const filled = applyDefaults(schema, {}) as { readonly polluted?: unknown }
  expect(Object.keys(filled)).toEqual(['__proto__'])
  expect(filled.polluted).toBeUndefined()
})

const script = {
  steps: [{ toolCalls: [{ toolName: 'list', input: { page: {} } }] }, { text: 'Done.' }],
}

function listTool(applied: unknown[], change: Partial<Tool>): Tool {
  return {
    name: 'list',
    description: 'Lists things.',
    inputSchema: {
      type: 'object',
      properties: { page, order: { enum: ['up', 'down'], default: 'up' } },
      required: ['order'],
    },
    execute: (input) => void applied.push(input),
    ...change,
  }
}

test('a call with omitted properties is approved, hooked and run with their defaults', async () => {
  const filled = { page: { limit: 10, at: [1] }, order: 'up' }
  const ran: unknown[] = []
  const hooked: unknown[] = []
  const agent = createTestAgent({
    script,
    tools: [listTool(ran, { applyDefaults: true, needsApproval: true })],
    beforeToolCall: ({ input }) => void hooked.push(input),
  })
  const run = agent.run('List.')
  const shown: unknown[] = []
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    shown.push(event.input)
    void agent.approve({ conversationId: run.conversationId, toolCallId: event.toolCallId })
  }
  expect((await run.result).outcome).toBe('completed')
  expect(hooked).toEqual([filled])
  expect(shown).toEqual([filled])
  expect(ran).toEqual([filled])
  await agent.dispose()
})

test('an approved edit with omitted properties runs with their defaults, without hooks', async () => {
  const ran: unknown[] = []
  const hooked: unknown[] = []
  const agent = createTestAgent({
    script,
    tools: [listTool(ran, { applyDefaults: true, needsApproval: true })],
    beforeToolCall: ({ input }) => void hooked.push(input),
  })
  const run = agent.run('List.')
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    const { toolCallId } = event
    const { conversationId } = run
    await agent.approve({ conversationId, toolCallId }, { input: { page: { limit: 2 } } })
  }
  expect(ran).toEqual([{ page: { limit: 2, at: [1] }, order: 'up' }])
  expect(hooked).toHaveLength(1)
  await agent.dispose()
})

test('a call of a tool without applyDefaults runs unchanged', async () => {
  const ran: unknown[] = []
  const agent = createTestAgent({
    script,
    tools: [
      listTool(ran, {
        inputSchema: { type: 'object', properties: { page, order: { default: 'up' } } },
      }),
    ],
  })
  await agent.run('List.').result
  expect(ran).toEqual([{ page: {} }])
  await agent.dispose()
})
