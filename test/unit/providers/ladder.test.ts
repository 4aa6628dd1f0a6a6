import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ModelConfigData } from '../../../src/protocol/model.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import { FormMemory } from '../../../src/providers/core/form-memory.ts'
import { collect, createProvider, defineProvider } from '../../../src/providers/index.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { askWeather } from './support/replay.ts'

const model: ModelConfigData = { provider: 'openai', model: 'm', api: 'chat' }

test('a lossy request form expires after a day, a lossless one stays', () => {
  let now = 0
  const memory = new FormMemory(() => now)
  const lossy = ['files image/', 'tools text', 'options none', 'roles simple', 'stream off']
  memory.set(model, new Set([...lossy, 'schemas portable', 'without seed']))
  now = 24 * 60 * 60 * 1_000 - 1
  expect([...memory.get(model)]).toEqual(expect.arrayContaining(lossy))
  now += 1
  expect([...memory.get(model)]).toEqual(['schemas portable', 'without seed'])
})

test.each([
  ['model', { model: 'other' }],
  ['baseURL', { baseURL: 'https://other.example.test/v1' }],
  ['toolMode', { toolMode: 'native' }],
  ['extraBody', { extraBody: { top_k: 1 } }],
] as const)('changing %s in the configuration forgets the request form', (_, change) => {
  const memory = new FormMemory()
  memory.set(model, new Set(['names none']))
  expect([...memory.get({ ...model, temperature: 0.5 })]).toEqual(['names none'])
  expect([...memory.get({ ...model, ...change })]).toEqual([])
})

test('a custom format keeps its conversation field after a refusal', async () => {
  const mine = defineProvider<null>({
    id: 'mine',
    toRequest: ({ messages }, { model: name }) => ({
      url: 'https://mine.example.test/generate',
      headers: {},
      body: { model: name, turns: messages.length },
    }),
    start: () => null,
    mapChunk: () => [{ type: 'finish', finishReason: 'stop' }],
  })
  const bodies: JsonObject[] = []
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(JSON.parse(String(init?.body)) as JsonObject)
    const message = bodies.length === 1 ? 'Bad request.' : 'turns: 1 is not allowed'
    return Promise.resolve(Response.json({ error: { message } }, { status: 400 }))
  }
  const provider = createProvider({ provider: 'mine', model: 'm' }, { providers: [mine] })
  const turn = await collect(provider.stream(askWeather, { fetch }))
  expect(turn.error?.code).toBe('bad-request')
  expect(bodies.length).toBeGreaterThan(1)
  expect(bodies.filter((body) => body['turns'] === undefined)).toEqual([])
})

test('a refused picture is replaced by text, with one request-changed warning', async () => {
  const bodies: string[] = []
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
    bodies.push(String(init?.body))
    const refusal = { error: 'this model does not support image input' }
    const choice = { message: { role: 'assistant', content: 'A map?' }, finish_reason: 'stop' }
    return Promise.resolve(
      String(init?.body).includes('image_url')
        ? Response.json(refusal, { status: 400 })
        : Response.json({ choices: [choice] }),
    )
  }
  const provider = createProvider({
    provider: 'openai-compatible',
    model: 'm',
    baseURL: 'https://picture.example.test/v1',
  })
  const ask = async (): Promise<StreamPart[]> => {
    const parts: StreamPart[] = []
    const picture = { type: 'file', mediaType: 'image/png', data: 'aGk=', filename: 'map.png' }
    const messages = [{ role: 'user', parts: [picture] }] as ModelRequest['messages']
    for await (const part of provider.stream({ messages, tools: [] }, { fetch })) parts.push(part)
    return parts.filter(({ type }) => type === 'warning')
  }
  const message = expect.stringMatching(
    /^The endpoint refused the request\. Files were left out.*image input/s,
  )
  expect(await ask()).toEqual([{ type: 'warning', code: 'request-changed', message }])
  expect(bodies).toHaveLength(2)
  expect(bodies[1]).toContain('[A file was left out: map.png, image/png]')
  expect(await ask()).toEqual([])
  expect(bodies).toHaveLength(3)
})
