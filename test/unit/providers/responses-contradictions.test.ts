import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import { askWeather, replay, sse } from './support/replay.ts'

// Answers of the Responses API that contradict themselves: no call of them runs.

const call = (id: string): JsonObject => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'get_weather',
  arguments: '{"city":"Rome"}',
  status: 'completed',
})
const refusal: JsonObject = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'refusal', refusal: 'No.' }],
}
const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } }
const streamed = (item: JsonObject, index = 0): JsonObject[] => [
  { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '' } },
  { type: 'response.output_item.done', output_index: index, item },
]
const completed = (output: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', output, ...more },
})

test.each<[string, readonly JsonObject[]]>([
  [
    'the same call twice, under other ids',
    [...streamed(call('1')), ...streamed(call('2')), completed([call('2')])],
  ],
  [
    'a refusal that only the last event has',
    [...streamed(call('1')), completed([refusal, call('1')])],
  ],
  [
    'a refusal that only opens',
    [
      ...streamed(call('1')),
      { type: 'response.content_part.added', output_index: 1, part: { type: 'refusal' } },
      completed([call('1')]),
    ],
  ],
  [
    'an error in a completed response',
    [...streamed(call('1')), completed([call('1')], { error: { message: 'The model failed.' } })],
  ],
])('%s', async (_, events) => {
  const provider = createProvider({ provider: 'openai', model: 'm', apiKey: 'sk-dummy' })
  const turn = await collect(
    provider.stream(askWeather, { fetch: replay(sse(created, ...events)) }),
  )
  expect(turn.toolCalls.filter((one) => 'input' in one)).toEqual([])
})

test('two calls at one index are both kept when the last event has both', async () => {
  const provider = createProvider({ provider: 'openai', model: 'm', apiKey: 'sk-dummy' })
  const events = [...streamed(call('1')), ...streamed(call('2'), 1)]
  const body = sse(created, ...events, completed([call('1'), call('2')]))
  const turn = await collect(provider.stream(askWeather, { fetch: replay(body) }))
  expect(turn.toolCalls.filter((one) => 'input' in one)).toHaveLength(2)
})
