import { describe, expect, it } from 'vitest'
import type { StepContext, ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { createWorld, startCommand, startLife, type SimTool } from './simulation.ts'

const ok: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }

/** Calls `name` natively and returns the outcome. */
async function called(
  name: string,
  tools: readonly string[],
  context: Partial<StepContext> = {},
): Promise<string> {
  const ran: string[] = []
  const sim = (tool: string): SimTool => ({
    descriptor: {},
    run: () => {
      ran.push(tool)
      return ok
    },
  })
  const table = Object.fromEntries(tools.map((tool) => [tool, sim(tool)]))
  const world = createWorld([{ calls: [{ tool: name, input: {} }] }, {}], table, context)
  const live = startLife(world)
  await live.host.startRun(startCommand('run', 'go', { maxSteps: 5, retries: 3 }))
  const { toolCalls } = await live.ended()
  expect(toolCalls[0]?.status).toBe(ran.length === 1 ? 'succeeded' : 'invalid')
  return ran[0] ?? 'none'
}

describe('the name of a native call', () => {
  it('does not select the only tool if it differs', async () => {
    expect(await called('order', ['buy'])).toBe('none')
    expect(await called('buys', ['buy'])).toBe('none')
  })

  it.each(['Search_Page', 'search-page', 'searchPage', 'search.page', 'SEARCH PAGE'])(
    'may differ in letter case and separators: %s',
    async (name) => expect(await called(name, ['search_page', 'other'])).toBe('search_page'),
  )

  it.each(['functions.search', 'default_api:search', 'tools.Search', 'functions.search:0'])(
    'may have a namespace: %s',
    async (name) => expect(await called(name, ['search', 'other'])).toBe('search'),
  )

  it('selects no tool if it could mean two', async () => {
    expect(await called('Get_Item', ['get_item', 'getitem'])).toBe('none')
    expect(await called('GetItem', ['get_item'], { otherTools: ['get-item'] })).toBe('none')
  })

  it('never selects another tool if it belongs to a disabled one', async () => {
    const context = { otherTools: ['delete-item'] }
    expect(await called('delete-item', ['delete_item'], context)).toBe('none')
    expect(await called('functions.delete-item', ['delete_item'], context)).toBe('none')
    expect(await called('mail.search', ['search'])).toBe('none')
  })
})
