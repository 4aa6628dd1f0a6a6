import { expect, test } from 'vitest'
import {
  collect,
  createProvider,
  defineProvider,
  type HttpProviderDefinition,
} from '../../../src/providers/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { asRecord } from '../../../src/providers/core/read-json.ts'
import { askWeather, replay, sse } from './support/replay.ts'

const toRequest: HttpProviderDefinition<unknown>['toRequest'] = (request, config) => ({
  url: `${config.baseURL ?? 'https://parrot.example'}/say`,
  headers: {},
  body: { count: request.messages.length },
})

const parrot = defineProvider<{ words: number }>({
  id: 'parrot',
  toRequest,
  start: () => ({ words: 0 }),
  mapChunk(state, chunk) {
    const word = asRecord(chunk)?.['word']
    if (typeof word === 'string') {
      state.words++
      return [{ type: 'text-delta', delta: word }]
    }
    return [
      { type: 'tool-call', toolCallId: 'a', toolName: 'ping', input: {} },
      { type: 'finish', finishReason: 'stop' },
    ]
  },
})

test('defineProvider supports a custom wire format', async () => {
  const provider = createProvider({ provider: 'parrot', model: 'm' }, { providers: [parrot] })
  const turn = await collect(
    provider.stream(askWeather, { fetch: replay(sse({ word: 'Hi' }, { end: true })) }),
  )
  expect(turn).toEqual({
    text: 'Hi',
    reasoning: '',
    toolCalls: [{ toolCallId: 'a', toolName: 'ping', input: {} }],
    finishReason: 'stop',
    usage: {},
  })
})

test('a custom provider gets its base URL without a trailing slash', async () => {
  const asked: string[] = []
  const provider = createProvider(
    { provider: 'parrot', model: 'm', baseURL: 'http://127.0.0.1:9' },
    { providers: [parrot] },
  )
  const fetch: typeof globalThis.fetch = (url) => {
    asked.push(String(url))
    return Promise.reject(new TypeError('nobody is there'))
  }
  await collect(provider.stream(askWeather, { fetch }))
  expect(asked).toEqual(['http://127.0.0.1:9/say'])
})

test("a custom provider's call without a proven end does not run", async () => {
  const hasty = defineProvider<null>({
    id: 'hasty',
    toRequest,
    start: () => null,
    mapChunk: (): StreamPart[] => [
      { type: 'tool-call', toolCallId: 'a', toolName: 'ping', input: { n: 1 } },
    ],
  })
  const provider = createProvider({ provider: 'hasty', model: 'm' }, { providers: [hasty] })
  const turn = await collect(provider.stream(askWeather, { fetch: replay(sse({})) }))
  expect(turn.error?.code).toBe('stream-incomplete')
  expect(turn.toolCalls).toMatchObject([{ error: { code: 'truncated' }, rawInput: '{"n":1}' }])
})

test('an exception in a custom provider becomes a stream error', async () => {
  const faulty = defineProvider<null>({
    id: 'faulty',
    toRequest,
    start: () => null,
    mapChunk: () => {
      throw new Error('a bug')
    },
  })
  const provider = createProvider({ provider: 'faulty', model: 'm' }, { providers: [faulty] })
  const turn = await collect(provider.stream(askWeather, { fetch: replay(sse({})) }))
  expect(turn.error).toMatchObject({ code: 'internal', message: 'a bug' })
})

test('a custom stream needs no endpoint, and its exception becomes an error', async () => {
  const local = defineProvider({
    id: 'local',
    async *stream() {
      yield [{ type: 'text-delta', delta: 'Hi' }]
      throw new Error('out of memory')
    },
  })
  const provider = createProvider({ provider: 'local', model: 'm' }, { providers: [local] })
  const turn = await collect(provider.stream(askWeather))
  expect(turn).toMatchObject({ text: 'Hi', error: { message: 'out of memory' } })
})

test('an incomplete definition is refused', () => {
  // @ts-expect-error neither toRequest nor stream
  expect(() => defineProvider({ id: 'x' })).toThrow(/must have/)
  expect(() => defineProvider({ ...parrot, id: '' })).toThrow(/needs an id/)
})

test('a call emitted twice counts once, and another call with its id is renamed', async () => {
  const call = { type: 'tool-call', toolCallId: '0', toolName: 'ping', input: {} } as const
  const stammer = defineProvider<null>({
    id: 'stammer',
    toRequest,
    start: () => null,
    mapChunk: () => [call, { ...call, input: { n: 1 } }, call],
    end: () => [call, { type: 'finish', finishReason: 'stop' }, { ...call, toolCallId: '1' }],
  })
  const provider = createProvider({ provider: 'stammer', model: 'm' }, { providers: [stammer] })
  const turn = await collect(provider.stream(askWeather, { fetch: replay(sse({}, '[DONE]')) }))
  expect(turn.toolCalls.map(({ input }) => input)).toEqual([{}, { n: 1 }])
  expect(turn.toolCalls[0]?.toolCallId).toBe('0')
  expect(turn.toolCalls[1]).toMatchObject({ providerCallId: '0' })
  expect(turn.toolCalls[1]?.toolCallId).not.toBe('0')
})

test('a custom stream ends with its finish part', async () => {
  const chatty = defineProvider({
    id: 'chatty',
    async *stream() {
      yield await Promise.resolve([
        { type: 'text-delta', delta: 'Hi' },
        { type: 'finish', finishReason: 'stop' },
        { type: 'text-delta', delta: ' again' },
      ] satisfies StreamPart[])
      yield [{ type: 'tool-call', toolCallId: 'a', toolName: 'ping', input: {} }]
    },
  })
  const provider = createProvider({ provider: 'chatty', model: 'm' }, { providers: [chatty] })
  expect(await collect(provider.stream(askWeather))).toMatchObject({ text: 'Hi', toolCalls: [] })
})
