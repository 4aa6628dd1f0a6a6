import { describe, expect, test, vi } from 'vitest'
import * as v from 'valibot'
import { type } from 'arktype'
import { z } from 'zod'
import { createAgent, defineTool, OffstageError } from '../../../src/index.ts'
import type { Tool } from '../../../src/index.ts'
import { execution, sleep, stage, startedRun, until } from './fake-worker.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: 'A tool.',
  execute: () => name,
  ...more,
})

function codeOf(action: () => unknown): string | undefined {
  try {
    action()
  } catch (error) {
    return OffstageError.is(error) ? error.code : `not ours: ${String(error)}`
  }
  return undefined
}

/** The tools as the worker gets them. */
async function toolsOf(set: ReturnType<typeof stage>) {
  const { worker, command } = await startedRun(set, 'x')
  return () => worker.page.currentTools({ agentId: command.agentId })
}

describe('defineTool', () => {
  const execute = () => 1
  const define = (inputSchema: unknown, jsonSchema?: unknown) => () =>
    defineTool({
      name: 'tool',
      description: 'd',
      execute,
      inputSchema,
      ...(jsonSchema ? { jsonSchema } : {}),
    } as never)

  test('rejects schemas that do not describe an object', () => {
    const wrong = [
      'string',
      null,
      [],
      7,
      { sku: 'string' },
      { type: 'string' },
      { type: 'objekt' },
      { type: 'object', properties: [] },
      { type: 'object', required: true },
      { type: 'object', properties: { a: 'string' } },
      { type: 'object', properties: { a: { type: 'strng' } } },
    ]
    for (const schema of wrong.slice(2))
      expect([schema, codeOf(define(schema))]).toEqual([schema, 'schema-invalid'])
    expect(codeOf(define('string'))).toBe('schema-invalid')
  })

  test('accepts JSON Schema in its usual forms', () => {
    const right = [
      undefined,
      {},
      { type: 'object' },
      {
        properties: {
          a: true,
          b: { type: ['string', 'null'] },
          c: { type: 'array', items: { enum: [1] } },
        },
      },
      { anyOf: [] },
    ]
    for (const schema of right)
      expect([schema, codeOf(define(schema))]).toEqual([schema, undefined])
  })

  test('reads JSON forms of Zod and ArkType, and one given beside Valibot', async () => {
    const valibot = v.object({ a: v.string() })
    const jsonSchema = { type: 'object', properties: { a: { type: 'string' } } } as const
    const tools = [
      tool('zod', { inputSchema: z.object({ a: z.string(), n: z.number().default(1) }) }),
      tool('arktype', { inputSchema: type({ a: 'string' }) }),
      tool('valibot', { inputSchema: valibot, jsonSchema }),
    ]
    const descriptors = await (await toolsOf(stage({ tools })))()
    expect(descriptors.map(({ inputSchema }) => inputSchema)).toEqual([
      {
        type: 'object',
        properties: { a: { type: 'string' }, n: { type: 'number', default: 1 } },
        required: ['a'],
      },
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      jsonSchema,
    ])
  })

  test('names the converter of a schema without a JSON form', () => {
    const action = define(v.object({ a: v.string() }))
    expect(codeOf(action)).toBe('schema-unsupported')
    expect(action).toThrow('@valibot/to-json-schema')
    expect(codeOf(define(z.object({ a: z.custom(() => true), d: z.date() })))).toBe(
      'schema-unsupported',
    )
  })

  test('rejects invalid definitions', () => {
    const wrong = [
      {},
      null,
      { name: '', description: '', execute },
      { name: '加购', description: '', execute },
      { name: 'a', execute },
      { name: 'a', description: '' },
      { name: 'a', description: '', execute, timeoutMs: 0 },
    ]
    for (const each of wrong)
      expect([each, codeOf(() => defineTool(each as never))]).toEqual([each, 'invalid-config'])
  })
})

describe('names', () => {
  test('rejected by model APIs are replaced for the model alone', async () => {
    const execute = vi.fn(() => 'ok')
    const inputSchema = {
      type: 'object',
      properties: {
        'item.id': { type: 'string' },
        数量: { type: 'integer' },
        plain: {},
        __proto__x: {},
      },
      required: ['item.id', 'plain'],
    }
    const set = stage({ tools: [tool('shop/add to cart!', { inputSchema, execute })] })
    const { worker, command } = await startedRun(set, 'x')
    const [descriptor] = await worker.page.currentTools({ agentId: command.agentId })
    expect(descriptor).toMatchObject({
      name: 'shop/add to cart!',
      inputSchema,
      forModel: {
        name: 'shop_add_to_cart_',
        inputSchema: {
          properties: { item_id: { type: 'string' }, param2: { type: 'integer' }, plain: {} },
          required: ['item_id', 'plain'],
        },
        parameters: [
          ['item.id', 'item_id'],
          ['数量', 'param2'],
        ],
      },
    })
    const input = { 'item.id': 'a', 数量: 2, plain: 1, extra: 3 }
    await worker.page.executeTool(execution(command, { toolName: 'shop/add to cart!', input }))
    expect(execute).toHaveBeenCalledWith(input, expect.anything())
  })

  test('are replaced at any depth of a schema, also in its data', async () => {
    const inputSchema = {
      type: 'object',
      properties: {
        'a b': { $ref: '#/$defs/the item' },
        list: { type: 'array', items: { $ref: '#/properties/a%20b' } },
        one: {
          anyOf: [
            { type: 'object', properties: { 'c/d': { enum: ['c/d'] } }, required: ['c/d'] },
            { const: { 'c/d': 1, 'e f': 2 } },
          ],
          default: { 'c/d': 'c/d' },
        },
        properties: { properties: { a_b: {}, required: { type: 'string' } } },
      },
      $defs: { 'the item': { properties: { '1.5': {} } } },
    }
    const current = await toolsOf(stage({ tools: [tool('plain', { inputSchema })] }))
    const [descriptor] = await current()
    expect(descriptor).toMatchObject({ name: 'plain', inputSchema })
    expect(descriptor?.forModel).toEqual({
      name: 'plain',
      inputSchema: {
        type: 'object',
        properties: {
          a_b_2: { $ref: '#/$defs/the item' },
          list: { type: 'array', items: { $ref: '#/properties/a_b_2' } },
          one: {
            anyOf: [
              { type: 'object', properties: { c_d: { enum: ['c/d'] } }, required: ['c_d'] },
              { const: { c_d: 1, 'e f': 2 } },
            ],
            default: { c_d: 'c/d' },
          },
          properties: { properties: { a_b: {}, required: { type: 'string' } } },
        },
        $defs: { 'the item': { properties: { '1_5': {} } } },
      },
      parameters: [
        ['a b', 'a_b_2'],
        ['c/d', 'c_d'],
        ['1.5', '1_5'],
      ],
    })
  })

  test('are refused when two become equal, for tools and for parameters', () => {
    const model = { provider: 'scripted', model: 'test' }
    expect(codeOf(() => createAgent({ model, tools: [tool('a.b'), tool('a/b')] }))).toBe(
      'duplicate-tool',
    )
    expect(() => createAgent({ model, tools: [tool('a'), tool('a')] })).toThrow('registerTool()')
    const inputSchema = { type: 'object', properties: { 'a.b': {}, 'a/b': {} } }
    expect(codeOf(() => defineTool(tool('t', { inputSchema })))).toBe('duplicate-tool')
    expect(
      codeOf(() =>
        createAgent({ model, tools: [tool('x'.repeat(70)), tool(`${'x'.repeat(64)}y`)] }),
      ),
    ).toBe('duplicate-tool')
  })

  test('F34 like __proto__ are ordinary names', async () => {
    const set = stage({ tools: [tool('__proto__'), tool('constructor')] })
    const { worker, command } = await startedRun(set, 'x')
    const outcome = (toolName: string) => worker.page.executeTool(execution(command, { toolName }))
    expect(await outcome('__proto__')).toMatchObject({ output: { value: '__proto__' } })
    expect(await outcome('toString')).toMatchObject({ reason: 'not-registered' })
  })
})

describe('the registry', () => {
  test('tells a running worker of added, replaced and removed tools', async () => {
    const dispose = vi.fn()
    const set = stage()
    const early = set.agent.registerTool(tool('early'))
    expect(set.workers).toEqual([])
    const current = await toolsOf(set)
    const names = async () => (await current()).map(({ name }) => name)
    const undo = set.agent.registerTool(tool('a', { dispose, title: 'first' }))
    expect(codeOf(() => set.agent.registerTool(tool('a')))).toBe('duplicate-tool')
    const undoSecond = set.agent.registerTool(tool('a', { title: 'second' }), { replace: true })
    expect(dispose).toHaveBeenCalledTimes(1)
    undo()
    expect(await names()).toEqual(['early', 'a'])
    expect((await current())[1]!.title).toBe('second')
    undoSecond()
    undoSecond()
    early()
    expect(await names()).toEqual([])
    await until(() => set.worker.of('toolsChanged').length >= 4)
  })

  test('calls a function for the tool each time', async () => {
    const set = stage()
    let title = 'first'
    set.agent.registerTool(() => tool('a', { title }))
    const current = await toolsOf(set)
    expect((await current())[0]?.title).toBe('first')
    title = 'second'
    expect((await current())[0]?.title).toBe('second')
    expect(codeOf(() => set.agent.registerTool(() => tool('a')))).toBe('duplicate-tool')
    expect(codeOf(() => set.agent.registerTool(() => ({}) as Tool))).toBe('invalid-config')
  })

  test('unregisters by signal', async () => {
    const set = stage()
    const controller = new AbortController()
    set.agent.registerTool(tool('a'), { signal: controller.signal })
    const current = await toolsOf(set)
    expect((await current()).length).toBe(1)
    controller.abort()
    expect(await current()).toEqual([])
    set.agent.registerTool(tool('b'), { signal: controller.signal })
    expect(await current()).toEqual([])
  })

  test('leaves out disabled or unavailable tools, and fails without any wanted tool', async () => {
    let there = true
    const set = stage({
      tools: [tool('a.1', { available: () => there }), tool('b')],
      enabledTools: ['a.1'],
    })
    const current = await toolsOf(set)
    const names = async () => (await current()).map(({ name }) => name)
    expect(await names()).toEqual(['a.1'])
    there = false
    await expect(names()).rejects.toMatchObject({
      code: 'no-tools-available',
      message: expect.stringContaining('a.1'),
    })
    set.agent.setEnabledTools(['a_1', 'b'])
    expect(await names()).toEqual(['b'])
    set.agent.setEnabledTools([])
    expect(await names()).toEqual([])
    set.agent.setEnabledTools(null)
    there = true
    expect(await names()).toEqual(['a.1', 'b'])
  })

  test('describes tools with their defaults', async () => {
    const tools = [
      tool('plain'),
      tool('full', {
        title: 'Full',
        annotations: { readOnly: true },
        timeoutMs: 5,
        sequential: false,
        reconcile: () => null,
        needsApproval: true,
      }),
    ]
    expect(await (await toolsOf(stage({ tools })))()).toEqual([
      {
        name: 'plain',
        description: 'A tool.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: {},
        timeoutMs: 60_000,
        parallelSafe: false,
        sequential: false,
        needsApproval: false,
        whileTainted: 'unknown',
        hasReconcile: false,
        definition: expect.any(String),
      },
      {
        name: 'full',
        title: 'Full',
        description: 'A tool.',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: { readOnly: true },
        timeoutMs: 5,
        parallelSafe: true,
        sequential: false,
        needsApproval: true,
        hasReconcile: true,
        definition: expect.any(String),
      },
    ])
  })

  test.each([
    ['never', [false, false, false, true, 'ask', false]],
    ['destructive', [false, false, true, true, 'ask', false]],
    ['writes', [false, true, true, true, 'ask', false]],
    ['always', [true, true, true, true, true, true]],
    [() => false, ['ask', 'ask', 'ask', true, 'ask', 'ask']],
  ] as const)('requests approval as the policy %s says', async (toolApproval, expected) => {
    const destructive = { destructive: true }
    const tools = [
      tool('reads', { annotations: { readOnly: true } }),
      tool('writes'),
      tool('destroys', { annotations: destructive }),
      tool('wants', { needsApproval: true }),
      tool('decides', { needsApproval: () => true }),
      tool('freed', { needsApproval: false, annotations: destructive }),
    ]
    const descriptors = await (await toolsOf(stage({ tools, toolApproval })))()
    expect(descriptors.map(({ needsApproval }) => needsApproval)).toEqual(expected)
  })

  test('disposes its tools with the agent, once', async () => {
    const dispose = vi.fn()
    const { agent } = stage({ tools: [tool('a', { dispose })] })
    await agent.dispose()
    await agent.dispose()
    await sleep(0)
    expect(dispose).toHaveBeenCalledTimes(1)
  })
})
