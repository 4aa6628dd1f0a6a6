import { afterEach, expect, test, vi } from 'vitest'
import { agentFromConfig } from '../../../src/tools-from.ts'
import { createTestAgent, inProcessWorker } from '../../../src/testing/index.ts'
import { toModelData } from '../../../src/client/api/model-config.ts'
import { DEFAULT_MODELS, PROVIDER_IDS } from '../../../src/protocol/model.ts'

function serve(): { readonly asked: string[] } {
  const asked: string[] = []
  const events = [
    { type: 'message_start', message: { id: 'm', usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Done.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]
  vi.stubGlobal('fetch', async (_url: string, { body }: { readonly body: string }) => {
    const sent: { readonly model: string } = JSON.parse(body)
    asked.push(sent.model)
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  })
  return { asked }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

test('a provider with a default model uses it when none is named', async () => {
  const { asked } = serve()
  const agent = createTestAgent({ model: { provider: 'minimax', apiKey: 'key-123' } })
  expect(await agent.run('x').result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  agent.configure({ model: { provider: 'minimax', model: 'another', apiKey: 'key-123' } })
  await agent.run('x').result
  agent.configure({ model: { provider: 'minimax', model: '', apiKey: 'key-123' } })
  await agent.run('x').result
  await agent.dispose()
  expect(asked).toEqual(['MiniMax-M2.5', 'another', 'MiniMax-M2.5'])
})

test('a configuration in JSON uses the default model too', async () => {
  const { asked } = serve()
  const agent = agentFromConfig(
    { model: { provider: 'minimax' }, storage: 'memory' },
    { apiKey: 'key-123', worker: inProcessWorker() },
  )
  expect(await agent.run('x').result).toMatchObject({ outcome: 'completed' })
  await agent.dispose()
  expect(asked).toEqual(['MiniMax-M2.5'])
})

test.each(PROVIDER_IDS.filter((id) => !(id in DEFAULT_MODELS)))(
  '%s has no default model, and needs one',
  (provider) => {
    expect(() => createTestAgent({ model: { provider, baseURL: 'https://ai.example' } })).toThrow(
      'model must be like',
    )
  },
)

test('the name of a built-in property is not a default', () => {
  expect(toModelData({ provider: 'constructor' }).model).toBe('')
})
