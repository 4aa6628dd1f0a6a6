import { describe, expect, test } from 'vitest'
import { responsesFixtures } from '../../fixtures/providers/responses.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import { chatPresets } from '../../../src/providers/openai/presets.ts'
import { defineResponses } from '../../../src/providers/openai-responses/define-responses.ts'
import { askWeather, replay, sse } from './support/replay.ts'
import { eventsOf, expectCutsHarmless, expectTurn, readTurn, styles } from './support/streams.ts'
import { eachNth } from '../more.ts'

const llamacpp = { provider: 'llamacpp', api: 'responses', model: 'm' } as const
const encoder = new TextEncoder()
const openai = defineResponses('openai', chatPresets.openai)

describe.each(
  responsesFixtures.map((fixture) => [`${fixture.row} ${fixture.name}`, fixture] as const),
)('%s', (_, fixture) => {
  test.each(styles)('is read in pieces of any size, %j', async (style) => {
    const bytes = encoder.encode(eventsOf(fixture, { ...style, events: true }).join(''))
    for (const size of [0, 1, 7, 64]) expectTurn(await readTurn(openai, bytes, size), fixture)
  })

  test.each(eachNth(4, styles))(
    'when cut at any byte, no call runs before the end is proven, %j',
    async (style) => {
      await expectCutsHarmless(openai, fixture, style)
    },
  )
})

test('an answer that reaches the token limit is cut off, even with status completed (P24)', async () => {
  const item = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'It rai' }],
  }
  const response = {
    status: 'completed',
    output: [item],
    usage: { input_tokens: 3, output_tokens: 28 },
  }
  const fetch = replay(sse({ type: 'response.completed', response }))
  const ask = (maxOutputTokens: number) =>
    collect(createProvider({ ...llamacpp, maxOutputTokens }).stream(askWeather, { fetch }))
  expect(await ask(29)).toMatchObject({ text: 'It rai', finishReason: 'stop' })
  expect(await ask(28)).toMatchObject({ text: 'It rai', finishReason: 'length' })
})

test('a part with a huge index makes no long list (T6)', async () => {
  const part = { type: 'output_text', text: 'Hi' }
  const place = { item_id: 'm', output_index: 0, content_index: 1000 }
  const body = sse(
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  )
  const turn = await collect(createProvider(llamacpp).stream(askWeather, { fetch: replay(body) }))
  expect(turn.providerMetadata).toMatchObject({ llamacpp: { items: [{ content: [part] }] } })
})

test('every documented stream quirk has a fixture', () => {
  const rows = new Set(responsesFixtures.map(({ row }) => row))
  const wanted = Array.from({ length: 24 }, (_, index) => `P${index + 1}`)
  expect(wanted.filter((row) => !rows.has(row))).toEqual(['P8', 'P24'])
})
