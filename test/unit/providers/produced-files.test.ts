import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { FilePart, Message } from '../../../src/protocol/message.ts'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { fileOfDataURL } from '../../../src/providers/core/data-url.ts'
import { askWeather, replay, sse } from './support/replay.ts'

const openrouter: ProviderConfig = {
  provider: 'openai-compatible',
  model: 'google/gemini-2.5-flash-image',
  baseURL: 'https://openrouter.ai/api/v1',
  apiKey: 'sk-or-123456',
}
const anthropic: ProviderConfig = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  apiKey: 'sk-ant-1',
}
const png: FilePart = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }
const url = `data:image/png;base64,${png.data}`
const image = { type: 'image_url', image_url: { url } }

function read(...deltas: readonly object[]): Promise<CollectedTurn> {
  const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }))
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const fetch = replay(sse(...chunks, end, '[DONE]'))
  return collect(createProvider(openrouter).stream(askWeather, { fetch }))
}

describe('files that a model produced (O38)', () => {
  test('repeated `images` in deltas are read once', async () => {
    const turn = await read(
      { content: 'Here:', images: [{ ...image, index: 0 }] },
      { images: [image] },
    )
    expect(turn).toMatchObject({ text: 'Here:', files: [png], finishReason: 'stop' })
  })

  test('`images` in a whole message are read', async () => {
    const body = { choices: [{ message: { content: '', images: [image] }, finish_reason: 'stop' }] }
    const fetch = replay(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    const turn = await collect(createProvider(openrouter).stream(askWeather, { fetch }))
    expect(turn).toMatchObject({ text: '', files: [png] })
  })

  test('files among the content parts keep their place', async () => {
    const parts: string[] = []
    const content = [{ type: 'text', text: 'One.' }, image, { type: 'text', text: 'Two.' }]
    const chunk = { choices: [{ delta: { content }, finish_reason: 'stop' }] }
    const stream = createProvider(openrouter).stream(askWeather, {
      fetch: replay(sse(chunk, '[DONE]')),
    })
    for await (const part of stream) parts.push(part.type)
    expect(parts).toEqual(['text-delta', 'file', 'text-delta', 'finish'])
  })

  test.each([
    ['an address', 'https://images.example/cat.png'],
    ['a page', 'data:text/html;base64,PGI+'],
    ['no base64', 'data:image/png,abc'],
    ['base64 with something else in it', 'data:image/png;base64,ab"c'],
    ['an endless head', `data:image/png;${'x=1;'.repeat(1_000)}base64,abcd`],
  ])('%s is left out with a warning', async (_, address) => {
    const warnings: string[] = []
    const chunk = {
      choices: [{ delta: { images: [{ image_url: { url: address } }] }, finish_reason: 'stop' }],
    }
    const stream = createProvider(openrouter).stream(askWeather, {
      fetch: replay(sse(chunk, '[DONE]')),
    })
    for await (const part of stream) {
      expect(part.type).not.toBe('file')
      if (part.type === 'warning') warnings.push(part.code)
    }
    expect(warnings).toEqual(['file-left-out'])
  })

  test('several files left out cause one warning', async () => {
    const warnings: string[] = []
    const images = ['a', 'b', 'c'].map((name) => ({
      image_url: { url: `https://x.example/${name}` },
    }))
    const chunk = { choices: [{ delta: { images }, finish_reason: 'stop' }] }
    const stream = createProvider(openrouter).stream(askWeather, {
      fetch: replay(sse(chunk, '[DONE]')),
    })
    for await (const part of stream) if (part.type === 'warning') warnings.push(part.code)
    expect(warnings).toEqual(['file-left-out'])
  })

  test('media types with parameters are read in any letter case', () => {
    expect(fileOfDataURL('data:IMAGE/Jpeg;charset=x;base64,aGk=')).toEqual({
      type: 'file',
      mediaType: 'image/jpeg',
      data: 'aGk=',
    })
  })
})

const say = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const drawn: Message = { role: 'assistant', parts: [{ type: 'text', text: 'Here:' }, png] }
const calling: Message = {
  role: 'assistant',
  parts: [png, { type: 'tool-call', toolCallId: 'a', toolName: 'ping', input: {} }],
}
const result: Message = {
  role: 'tool',
  parts: [
    {
      type: 'tool-result',
      toolCallId: 'a',
      toolName: 'ping',
      output: { type: 'content', value: [png] },
    },
  ],
}

async function sent(
  config: ProviderConfig,
  ...messages: readonly Message[]
): Promise<JsonObject[]> {
  const bodies: { messages: JsonObject[] }[] = []
  const fetch: typeof globalThis.fetch = (address, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    return replay('data: [DONE]\n\n')(address, init)
  }
  await collect(createProvider(config).stream({ messages, tools: [] }, { fetch }))
  return bodies[0]?.messages ?? []
}

describe('produced files are sent back as input', () => {
  const intro = { type: 'text', text: 'Files from your answer above:' }

  test("before the person's next message", async () => {
    expect(await sent(openrouter, say('Draw.'), drawn, say('Redder.'))).toEqual([
      { role: 'user', content: 'Draw.' },
      { role: 'assistant', content: 'Here:' },
      { role: 'user', content: [intro, image, { type: 'text', text: 'Redder.' }] },
    ])
  })

  test('to Anthropic as well', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: png.data }
    expect(await sent(anthropic, say('Draw.'), drawn, say('Redder.'))).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ text: 'Here:' }] },
      { role: 'user', content: [intro, { type: 'image', source }, { text: 'Redder.' }] },
    ])
  })

  test("after the results of the answer's calls", async () => {
    const messages = await sent(openrouter, say('Draw.'), calling, result)
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    const fromTool = { type: 'text', text: 'Files from the tool results above:' }
    expect(messages.at(-1)?.['content']).toEqual([fromTool, image, intro, image])
  })

  test('after an answer that consists of a file only', async () => {
    const alone: Message = { role: 'assistant', parts: [png] }
    expect(await sent(openrouter, say('Draw.'), alone, say('Redder.'))).toEqual([
      { role: 'user', content: 'Draw.' },
      { role: 'assistant', content: '[A file: image/png]' },
      { role: 'user', content: [intro, image, { type: 'text', text: 'Redder.' }] },
    ])
  })
})
