import { expect, onTestFinished, test } from 'vitest'
import { fromLanguageModel } from '../../../src/connect/ai-sdk/model/from-language-model.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

const usage = { inputTokens: { total: 3 }, outputTokens: { total: 1 } }
const OWN_CHUNKS = [{ id: 'own-1', choices: [] }, 'own-2']

/** A run with a model that warns, and that sends the server's own chunks whether they are asked for or not. */
async function eventsOf(
  warnings: readonly object[],
  raw: boolean,
): Promise<{ events: RunEvent[]; asked: unknown }> {
  let asked: unknown
  const parts = [
    { type: 'stream-start', warnings },
    { type: 'raw', rawValue: OWN_CHUNKS[0] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'Hello' },
    { type: 'raw', rawValue: OWN_CHUNKS[1] },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
  ]
  const model = {
    specificationVersion: 'v3',
    provider: 'vendor',
    modelId: 'm',
    doStream: async (options: { readonly includeRawChunks?: boolean }) => {
      asked = options.includeRawChunks
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            controller.close()
          },
        }),
      }
    },
  }
  const agent = createTestAgent({
    model: { provider: 'ai-sdk', model: 'm' },
    providers: [fromLanguageModel(model)],
    raw,
  })
  onTestFinished(() => agent.dispose())
  const run = agent.run('Hi')
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hello' })
  return { events, asked }
}

test.each([
  [
    'a setting of version 2',
    { type: 'unsupported-setting', setting: 'seed', details: 'It is ignored.' },
    "The model doesn't support seed. It is ignored.",
  ],
  [
    'a tool of version 2',
    { type: 'unsupported-tool', tool: { type: 'function', name: 'paint' } },
    "The model doesn't support paint.",
  ],
  [
    'a feature of later versions',
    { type: 'unsupported', feature: 'topK' },
    "The model doesn't support topK.",
  ],
  ['anything else', { type: 'other', message: 'The quota is low.' }, 'The quota is low.'],
])('a warning of the model about %s becomes a warning event', async (_about, warning, message) => {
  const { events } = await eventsOf([warning, { type: 'other', message: 'A second one.' }], false)
  expect(events.filter(({ type }) => type === 'warning')).toMatchObject([
    { code: 'ai-sdk', message },
    { code: 'ai-sdk', message: 'A second one.' },
  ])
})

test('with raw: true, the chunks of the server become raw events, otherwise they are dropped', async () => {
  const reported = await eventsOf([], true)
  expect(reported.events.flatMap((event) => (event.type === 'raw' ? [event.data] : []))).toEqual(
    OWN_CHUNKS,
  )
  expect(reported.asked).toBe(true)
  const dropped = await eventsOf([], false)
  expect(dropped.events.filter(({ type }) => type === 'raw')).toEqual([])
  expect(dropped.asked).toBeUndefined()
})
