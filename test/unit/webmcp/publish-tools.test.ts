import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { defineTool, pending, type Tool, type ToolContext } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import {
  publishTools,
  type PublishOptions,
  webMcpTools,
} from '../../../src/connect/webmcp/index.ts'
import { type Double, modelContextDouble } from './double.ts'

const add = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Adds goods to the cart.',
  inputSchema: {
    type: 'object',
    properties: { sku: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
    required: ['sku'],
  },
  annotations: { idempotent: true },
  execute: ({ sku, quantity = 1 }) => ({ sku, quantity }),
})

const pay = { name: 'pay', description: 'Pays.', annotations: { destructive: true } }

async function publish(tools: readonly Tool[], options: PublishOptions = {}) {
  const context = modelContextDouble()
  const publication = publishTools(tools, { context, ...options })
  onTestFinished(() => publication.dispose())
  await publication.ready
  return { context, publication }
}

async function call(context: Double, name: string, input: object = {}, signal?: AbortSignal) {
  const tool = (await context.getTools()).find((each) => each.name === name)
  if (!tool) throw new Error(`There is no ${name}.`)
  return context.executeTool(tool, input, signal && { signal })
}

describe('published tools', () => {
  it("have the description and hints of the app's tools, and return their results", async () => {
    const { context, publication } = await publish([add], { prefix: 'shop.' })
    expect(publication.published).toEqual(['shop.add'])
    expect(publication.refused).toEqual([])
    expect(await context.getTools()).toMatchObject([
      {
        name: 'shop.add',
        title: 'Add',
        description: 'Adds goods to the cart.',
        inputSchema: { required: ['sku'] },
        annotations: {
          readOnlyHint: false,
          untrustedContentHint: false,
          consequentialHint: false,
        },
      },
    ])
    expect(await call(context, 'shop.add', { sku: 'mug' })).toBe('{"sku":"mug","quantity":1}')
  })

  it.each([
    [{}, /sku/],
    [{ sku: 1 }, /sku must be/],
    [{ sku: 'mug', quantity: 0 }, /quantity/],
    [[], /no object/],
  ])('refuse the invalid input %j, which the browser does not check', async (input, words) => {
    const execute = vi.fn()
    const { context } = await publish([{ ...add, execute }])
    await expect(call(context, 'add', input)).rejects.toThrow(words)
    expect(execute).not.toHaveBeenCalled()
  })

  it('get the input as parsed by a Standard Schema', async () => {
    const tool = defineTool({
      name: 'trim',
      description: 'Trims.',
      inputSchema: z.object({ text: z.string().trim().min(1) }),
      execute: ({ text }) => text,
    })
    const { context } = await publish([tool as Tool])
    expect(await call(context, 'trim', { text: ' a ' })).toBe('a')
    await expect(call(context, 'trim', { text: '  ' })).rejects.toThrow('text')
  })

  it('are refused if they would need an agent or an approval', async () => {
    const composite = { name: 'both', description: 'Both.', run: async () => 1 }
    const remote = { ...add, name: 'theirs', remote: { source: 'elsewhere' } }
    const broken = { ...add, name: '???' }
    const { publication } = await publish([
      add,
      { ...pay, execute: () => 'paid' },
      { ...add, name: 'asks', needsApproval: () => false },
      composite as never,
      remote,
      broken,
    ])
    expect(publication.published).toEqual(['add'])
    expect(publication.refused).toEqual([
      { name: 'pay', reason: expect.stringContaining('confirm') },
      { name: 'asks', reason: expect.stringContaining('confirm') },
      { name: 'both', reason: expect.stringContaining('agent') },
      { name: 'theirs', reason: expect.stringContaining('remote tool') },
      { name: '???', reason: expect.stringContaining('name') },
    ])
  })

  it('run calls that need approval only when a person approves', async () => {
    const execute = vi.fn((_input: unknown, { about }: ToolContext) => `paid from ${String(about)}`)
    const confirm = vi.fn(({ input }) => (input as { sum: number }).sum < 100)
    const tool: Tool = {
      ...pay,
      inputSchema: { type: 'object', properties: { sum: { type: 'number' } } },
      describe: () => ({ text: 'From the current account', data: 7 }),
      execute,
    }
    const { context } = await publish([tool], { confirm })
    expect(await call(context, 'pay', { sum: 10 })).toBe('paid from 7')
    await expect(call(context, 'pay', { sum: 1000 })).rejects.toThrow('did not approve')
    expect(execute).toHaveBeenCalledTimes(1)
    expect(confirm).toHaveBeenLastCalledWith(
      expect.objectContaining({
        tool,
        input: { sum: 1000 },
        about: { text: 'From the current account', data: 7 },
      }),
    )
  })

  it('request approval when needsApproval returns true or throws', async () => {
    const confirm = vi.fn(() => true)
    const needsApproval = vi.fn(async (input: unknown) => {
      if ((input as { sku: string }).sku === 'odd') throw new Error('odd')
      return (input as { sku: string }).sku === 'dear'
    })
    const { context } = await publish([{ ...add, needsApproval } as Tool], { confirm })
    await call(context, 'add', { sku: 'cheap' })
    expect(confirm).toHaveBeenCalledTimes(0)
    await call(context, 'add', { sku: 'dear' })
    await call(context, 'add', { sku: 'odd' })
    expect(confirm).toHaveBeenCalledTimes(2)
  })

  it("request approval within the browser's user interaction if it has one", async () => {
    const confirm = vi.fn(() => true)
    const requestUserInteraction = vi.fn((ask: () => Promise<unknown>) => ask())
    const tools: { execute: (input: unknown, about: object) => Promise<unknown> }[] = []
    const context = { registerTool: async (tool: never) => void tools.push(tool) }
    await publishTools([{ ...pay, execute: () => 'paid' }], { context, confirm }).ready
    expect(await tools[0]?.execute({}, { requestUserInteraction })).toBe('paid')
    expect(requestUserInteraction).toHaveBeenCalledTimes(1)
    expect(confirm).toHaveBeenCalledTimes(1)
  })

  it('need what confirm returned, whatever their caller makes of it', async () => {
    const execute = vi.fn(() => 'paid')
    const tools: { execute: (input: unknown, caller: object) => Promise<unknown> }[] = []
    const context = { registerTool: async (tool: never) => void tools.push(tool) }
    const confirm = () => true
    await publishTools([{ ...pay, execute }], { context, confirm }).ready
    const approvesItself = { requestUserInteraction: async () => true }
    await expect(tools[0]?.execute({}, approvesItself)).rejects.toThrow('did not approve')
    expect(execute).not.toHaveBeenCalled()
    const onlyWaits = {
      requestUserInteraction: async (ask: () => Promise<unknown>) => void (await ask()),
    }
    expect(await tools[0]?.execute({}, onlyWaits)).toBe('paid')
  })

  it('run one after the other unless they are read-only', async () => {
    let running = 0
    let most = 0
    const execute = async () => {
      most = Math.max(most, (running += 1))
      await new Promise((resolve) => setTimeout(resolve, 5))
      running -= 1
    }
    const mostOf = async (tool: Tool): Promise<number> => {
      most = 0
      const { context } = await publish([tool])
      const all = [{ sku: 'a' }, { sku: 'b' }].map((input) => call(context, 'add', input))
      await Promise.all(all)
      return most
    }
    expect(await mostOf({ ...add, execute })).toBe(1)
    expect(await mostOf({ ...add, annotations: { readOnly: true }, execute })).toBe(2)
  })

  it('end with their caller or by their time limit', async () => {
    const signals: AbortSignal[] = []
    const hang = (_input: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal)
      return new Promise(() => {})
    }
    const { context } = await publish([
      { ...add, execute: hang } as Tool,
      { ...add, name: 'short', timeoutMs: 10, execute: hang } as Tool,
    ])
    await expect(call(context, 'short', { sku: 'a' })).rejects.toThrow('stopped')
    const stop = new AbortController()
    const called = call(context, 'add', { sku: 'a' }, stop.signal)
    await vi.waitFor(() => expect(signals).toHaveLength(2))
    stop.abort(new Error('no longer'))
    await expect(called).rejects.toThrow('no longer')
    expect(signals.every(({ aborted }) => aborted)).toBe(true)
  })

  it("report results that can't be returned", async () => {
    const { context } = await publish([
      { ...add, name: 'waits', execute: () => pending({ resumeToken: 'a' }) },
      { ...add, name: 'file', execute: () => new Blob(['x'], { type: 'text/plain' }) },
      { ...add, name: 'away', available: () => false, execute: () => 1 },
    ] as Tool[])
    await expect(call(context, 'waits', { sku: 'a' })).rejects.toThrow('needs an agent')
    expect(await call(context, 'file', { sku: 'a' })).toBe('["[text/plain]"]')
    await expect(call(context, 'away', { sku: 'a' })).rejects.toThrow('not available')
  })

  it('run without a time limit', async () => {
    const { context } = await publish([{ ...add, timeoutMs: Infinity } as Tool])
    expect(await call(context, 'add', { sku: 'mug' })).toContain('mug')
  })

  it('are removed at the end, by signal or dispose', async () => {
    const { context, publication } = await publish([add])
    publication.dispose()
    expect(await context.getTools()).toEqual([])
    const stop = new AbortController()
    const other = await publish([add], { signal: stop.signal })
    stop.abort()
    expect(await other.context.getTools()).toEqual([])
    const never = await publish([add], { signal: AbortSignal.abort() })
    expect(await never.context.getTools()).toEqual([])
    expect(never.publication.published).toEqual([])
  })

  it('are refused when the name is taken, or without WebMCP', async () => {
    const context = modelContextDouble()
    context.add({ name: 'add' })
    const taken = publishTools([add], { context })
    await taken.ready
    expect(taken.refused).toEqual([{ name: 'add', reason: expect.stringContaining('Duplicate') }])
    // The page's own tool of that name is still registered.
    expect((await webMcpTools({ context })).map(({ name }) => name)).toEqual(['web_add'])
    const nowhere = publishTools([add])
    await nowhere.ready
    expect(nowhere.refused).toEqual([{ name: 'add', reason: expect.stringContaining('no WebMCP') }])
  })

  it("are not offered to the page's own agents, in any copy of the package", async () => {
    const { context, publication } = await publish([add])
    context.add({ name: 'other' })
    vi.resetModules()
    const copy = await import('../../../src/connect/webmcp/index.ts')
    for (const { webMcpTools: list } of [{ webMcpTools }, copy])
      expect((await list({ context })).map(({ name }) => name)).toEqual(['web_other'])
    publication.dispose()
    context.add({ name: 'add' })
    expect(await webMcpTools({ context })).toHaveLength(2)
  })

  it('work for an agent in another frame', async () => {
    const { context } = await publish([add])
    // Tools as a frame of the page sees them.
    const seen = { ...context, getTools: async () => elsewhere(await context.getTools()) }
    const executeTool: Double['executeTool'] = (tool, ...rest) =>
      context.executeTool({ ...tool, window: globalThis }, ...rest)
    const agent = createTestAgent({
      tools: await webMcpTools({ context: { ...seen, executeTool }, needsApproval: false }),
      script: {
        steps: [
          { toolCalls: [{ toolName: 'web_frame_add', input: { sku: 'mug' } }] },
          { text: 'Done.' },
        ],
      },
    })
    onTestFinished(() => agent.dispose())
    const { toolCalls } = await agent.run('A mug').result
    expect(toolCalls[0]?.output).toMatchObject({ value: { sku: 'mug', quantity: 1 } })
  })
})

it.each<[PublishOptions, RegExp]>([
  [{ confirms: true } as never, /no confirms/],
  [{ toolApproval: 'sometimes' as never }, /toolApproval/],
  [{ prefix: 'a b' }, /prefix/],
])('refuses the options %j', (options, words) => {
  expect(() => publishTools([], options)).toThrow(words)
})

const frame = {}

function elsewhere<Each extends object>(tools: readonly Each[]): Each[] {
  return tools.map((tool) => ({ ...tool, window: frame }))
}
