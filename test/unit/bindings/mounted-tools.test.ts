import { expect, onTestFinished, test, vi } from 'vitest'
import { reactive } from 'vue'
import * as z from 'zod'
import { type MountedTool, mountTool } from '../../../src/ui/bindings/mounted-tools.ts'
import type { Agent, Script, Tool } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const schema = { type: 'object', properties: { sku: { type: 'string' } } } as const

function tool(more: Partial<Tool> = {}): Tool {
  return {
    name: 'order',
    description: 'Orders.',
    inputSchema: schema,
    execute: () => 'old',
    ...more,
  }
}

function stage(script: Script): Agent {
  const agent = createTestAgent({ script })
  onTestFinished(() => agent.dispose())
  return agent
}

/** A run with one call of the tool; what it came to. */
async function called(agent: Agent): Promise<unknown> {
  const { toolCalls } = await agent.run('Order').result
  return toolCalls.map(({ status, output }) => [status, output])
}

const ORDER: Script = {
  steps: [{ toolCalls: [{ toolName: 'order', input: { sku: 'mug' } }] }, { text: 'Done.' }],
}

/** Counts registrations, which would end what runs. */
function watched(agent: Agent): { readonly agent: Agent; readonly registered: () => number } {
  const registerTool = vi.spyOn(agent, 'registerTool')
  return { agent, registered: () => registerTool.mock.calls.length }
}

/** A component's tool, which `update` makes another one. */
function mountNewest(
  agent: Agent,
  first: Tool,
): MountedTool & { readonly update: (next: Tool) => void } {
  let newest = first
  return {
    ...mountTool(agent, () => newest),
    update: (next) => {
      newest = next
    },
  }
}

/** Waits for the next task, which unregisters unmounted tools. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

test('a mounted tool uses its newest function and description with one registration', async () => {
  const { agent, registered } = watched(stage(ORDER))
  const mounted = mountNewest(agent, tool())
  mounted.update(tool({ execute: () => 'new', inputSchema: structuredClone(schema) }))
  mounted.redefine()
  expect(await called(agent)).toEqual([['succeeded', { type: 'text', value: 'new' }]])
  expect(registered()).toBe(1)
})

test.each<[string, Partial<Tool>, Partial<Tool>, number]>([
  ['another schema', {}, { inputSchema: { ...schema, required: ['sku'] } }, 2],
  ['another name', {}, { name: 'buy' }, 2],
  ['another description', {}, { description: 'Orders at once.' }, 1],
  [
    'a Standard Schema of the same form',
    { inputSchema: z.object({ sku: z.string() }) },
    { inputSchema: z.object({ sku: z.string() }) },
    1,
  ],
  [
    'a Standard Schema of another form',
    { inputSchema: z.object({ sku: z.string() }) },
    { inputSchema: z.object({ sku: z.number() }) },
    2,
  ],
])('a changed tool is registered again only when needed: %s', (_name, before, after, count) => {
  const { agent, registered } = watched(stage(ORDER))
  const mounted = mountNewest(agent, tool(before))
  mounted.update(tool(after))
  mounted.redefine()
  expect(registered()).toBe(count)
})

test('a tool remounted at once keeps its registration and its running call', async () => {
  const { agent, registered } = watched(stage(ORDER))
  let executed = 0
  let finish = (_value: string): void => {}
  const begun = new Promise<void>((begin) => {
    const execute = (): Promise<string> =>
      new Promise((resolve) => {
        executed += 1
        finish = resolve
        begin()
      })
    mountNewest(agent, tool({ execute })).unmount()
    mountNewest(agent, tool({ execute }))
  })
  const calls = called(agent)
  await begun
  const again = mountNewest(agent, tool())
  again.unmount()
  await nextTask()
  finish('ordered')
  expect(await calls).toEqual([['succeeded', { type: 'text', value: 'ordered' }]])
  expect([executed, registered()]).toEqual([1, 1])
})

test('an unmounted tool is removed, and its running call ends', async () => {
  const agent = stage(ORDER)
  let mounted: ReturnType<typeof mountNewest> | undefined
  const begun = new Promise<void>((begin) => {
    const execute = (): Promise<never> => {
      begin()
      return new Promise(() => {})
    }
    mounted = mountNewest(agent, tool({ annotations: { readOnly: true }, execute }))
  })
  const calls = called(agent)
  await begun
  mounted?.unmount()
  expect(await calls).toMatchObject([['aborted', {}]])
  // The name is free again.
  expect(() => agent.registerTool(tool())).not.toThrow()
})

test('the last of two mounted twins counts; after it unmounts, the first returns', async () => {
  vi.stubGlobal('location', { hostname: 'localhost' })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllGlobals()
    warn.mockRestore()
  })
  const call = ORDER.steps?.[0] ?? {}
  const agent = stage({ steps: [call, { text: 'Done.' }, call, { text: 'Done.' }] })
  mountNewest(agent, tool({ execute: () => 'first' }))
  expect(warn).not.toHaveBeenCalled()
  const second = mountNewest(agent, tool({ execute: () => 'second' }))
  expect(warn.mock.calls).toEqual([[expect.stringContaining('order')]])
  expect(await called(agent)).toEqual([['succeeded', { type: 'text', value: 'second' }]])
  second.unmount()
  expect(await called(agent)).toEqual([['succeeded', { type: 'text', value: 'first' }]])
})

test('a name that the app has registered is refused and leaves nothing behind', () => {
  const agent = stage(ORDER)
  const undo = agent.registerTool(tool())
  expect(() => mountNewest(agent, tool())).toThrow(/registered already/)
  undo()
  const mounted = mountNewest(agent, tool())
  mounted.unmount()
})

test('renaming a tool to a taken name leaves its old twin unchanged', async () => {
  const agent = stage(ORDER)
  agent.registerTool(tool({ name: 'taken' }))
  mountNewest(agent, tool({ execute: () => 'twin' }))
  const second = mountNewest(agent, tool())
  second.update(tool({ name: 'taken' }))
  expect(() => second.redefine()).toThrow(/registered already/)
  second.unmount()
  expect(await called(agent)).toEqual([['succeeded', { type: 'text', value: 'twin' }]])
})

test('a mounted tool may have reactive annotations and a reactive source', async () => {
  const agent = stage(ORDER)
  mountNewest(
    agent,
    tool({
      annotations: reactive({ readOnly: true }),
      remote: reactive({ source: 'shop', trusted: true }),
    }),
  )
  expect(await called(agent)).toEqual([['succeeded', { type: 'text', value: 'old' }]])
})

test('a mounted tool checks its input with the newest schema', async () => {
  const agent = stage(ORDER)
  const selling = (stock: readonly string[]): Tool =>
    tool({ inputSchema: z.object({ sku: z.string().refine((sku) => stock.includes(sku)) }) })
  const mounted = mountNewest(agent, selling([]))
  mounted.update(selling(['mug']))
  mounted.redefine()
  expect(await called(agent)).toEqual([['succeeded', { type: 'text', value: 'old' }]])
})
