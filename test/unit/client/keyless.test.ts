import { afterEach, expect, test, vi } from 'vitest'
import type { ModelConfig } from '../../../src/client/api/options.ts'
import type { createConfigBook, readCredentials } from '../../../src/client/api/model-config.ts'
import { isKeyless } from '../../../src/client/api/model-config.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const asked = vi.hoisted(() => ({ times: 0 }))
vi.mock('../../../src/client/api/model-config.ts', async (load) => {
  const real: {
    readCredentials: typeof readCredentials
    createConfigBook: typeof createConfigBook
  } = await load()
  const counted: typeof readCredentials = (config, request) => {
    asked.times++
    return real.readCredentials(config, request)
  }
  return { ...real, readCredentials: counted }
})

const model: ModelConfig = {
  provider: 'openai-compatible',
  model: 'm',
  baseURL: 'http://127.0.0.1:1/v1',
}

const answer = (finish: object, tool?: object): Response =>
  new Response(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: tool ?? { content: 'Done.' }, ...finish }] })}\n\ndata: [DONE]\n\n`,
    { headers: { 'content-type': 'text/event-stream' } },
  )

function serve(): void {
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const answers = [
    answer({ finish_reason: 'tool_calls' }, { tool_calls: [call] }),
    answer({ finish_reason: 'stop' }),
  ]
  vi.stubGlobal('fetch', async () => answers.shift() ?? Response.error())
}

async function run(config: ModelConfig, hears: (type: string) => void): Promise<void> {
  serve()
  vi.stubGlobal('addEventListener', hears)
  asked.times = 0
  const agent = createTestAgent({
    model: config,
    storage: 'memory',
    tools: [{ name: 'look', description: 'Looks.', execute: () => 'seen' }],
  })
  expect(await agent.run('x').result).toMatchObject({ outcome: 'completed', steps: 2 })
  await agent.dispose()
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a model without key and headers has no credentials to request', async () => {
  await run(model, () => undefined)
  expect(asked.times).toBe(0)
  await run({ ...model, apiKey: 'sk-1' }, () => undefined)
  expect(asked.times).toBe(2)
  expect([model, { ...model, apiKey: () => '' }, { ...model, headers: {} }].map(isKeyless)).toEqual(
    [true, false, false],
  )
})

test('the page listens for leaving only during a run or an app function', async () => {
  const hears = vi.fn<(type: string) => void>()
  await run(model, hears)
  // The run, whose draft is kept then, and the tool; nothing of the two steps.
  expect(hears.mock.calls.filter(([type]) => type === 'beforeunload')).toHaveLength(2)
})
