import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { parseToolInput } from '../../../src/providers/core/parse-tool-input.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { askWeather, replay, sse } from './support/replay.ts'

const ENCODED = JSON.stringify(JSON.stringify({ city: 'Paris' }))

const CALL = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'get_weather' }

const ANSWERS: Readonly<Record<string, readonly [ProviderConfig, readonly JsonObject[]]>> = {
  chat: [
    { provider: 'openai', api: 'chat', model: 'm' },
    [
      {
        choices: [
          {
            delta: {
              tool_calls: [
                { index: 0, id: 'c', function: { name: 'get_weather', arguments: ENCODED } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
    ],
  ],
  responses: [
    { provider: 'openai', api: 'responses', model: 'm' },
    [
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...CALL, arguments: ENCODED, status: 'completed' },
      },
      { type: 'response.completed', response: { status: 'completed' } },
    ],
  ],
  messages: [
    { provider: 'anthropic', model: 'm' },
    [
      { type: 'message_start', message: {} },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'c', name: 'get_weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: ENCODED },
      },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ],
  ],
}

test.each(Object.entries(ANSWERS))(
  'arguments encoded twice as JSON are decoded with one warning, in the format %s',
  async (format, [config, chunks]) => {
    const parts: StreamPart[] = []
    const fetch = replay(sse(...chunks))
    for await (const part of createProvider(config).stream(askWeather, { fetch })) parts.push(part)
    const call = parts.find(({ type }) => type === 'tool-call')
    expect(call).toMatchObject({ toolName: 'get_weather', input: { city: 'Paris' } })
    expect(call).not.toHaveProperty('error')
    expect(parts.filter(({ type }) => type === 'warning')).toEqual([
      {
        type: 'warning',
        code: 'arguments-encoded',
        message: 'The arguments of get_weather were JSON inside a text.',
      },
    ])
    const end = parts.at(-1)
    expect(end).toMatchObject({ type: 'finish', finishReason: 'tool-calls' })
    if (format === 'messages')
      expect(end).toMatchObject({
        providerMetadata: {
          anthropic: { content: [{ type: 'thinking' }, { input: { city: 'Paris' } }] },
        },
      })
  },
)

test('arguments that are cut off within a long string are refused at once, however many quotes they have', () => {
  // With time that grew by the square of the length, this would take minutes.
  const html = String.raw`<a href=\"x\">`.repeat(100_000)
  expect(parseToolInput(`{"html":"${html}`)).toHaveProperty('error')
  expect(parseToolInput(`{"html":"${html}"}`)).toHaveProperty('input')
})
