import Anthropic from '@anthropic-ai/sdk'
import { LLMock } from '@copilotkit/aimock'
import fc from 'fast-check'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { asRecord } from '../../../src/providers/core/read-json.ts'
import { messagesFixtures } from '../../fixtures/providers/anthropic.ts'
import { chatFixtures, type StreamFixture } from '../../fixtures/providers/openai.ts'
import { askWeather, replay, weatherTool } from './support/replay.ts'
import { eventsOf } from './support/streams.ts'
import { chatStream, cuts, messagesStream, turns } from './support/well-formed.ts'

/** A message as the vendors' own clients read it from the same bytes. */

interface Said {
  readonly text: string
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[]
  readonly finishReason: string | null
}

const pieceSizes = fc.constantFrom(0, 1, 7, 64)

function ask(config: ProviderConfig, fetch?: typeof globalThis.fetch): Promise<CollectedTurn> {
  return collect(createProvider(config).stream(askWeather, fetch ? { fetch } : {}))
}

function said(turn: CollectedTurn): Said {
  expect(turn.error).toBeUndefined()
  return {
    text: turn.text,
    calls: turn.toolCalls.map((call) => [call.toolCallId, call.toolName, call.input]),
    finishReason: turn.finishReason,
  }
}

async function askOpenAI(fetch: typeof globalThis.fetch): Promise<OpenAI.ChatCompletion> {
  const client = new OpenAI({ apiKey: 'x', baseURL: 'http://oracle/v1', fetch, maxRetries: 0 })
  const runner = client.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'x' }],
  })
  return runner.finalChatCompletion()
}

const reasons: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool-calls',
}

test('the openai client', async () => {
  await fc.assert(
    fc.asyncProperty(turns, cuts, pieceSizes, async (turn, lengths, pieceSize) => {
      const fetch = replay(chatStream(turn, lengths), { pieceSize })
      const ours = await ask({ provider: 'openai', api: 'chat', model: 'm', apiKey: 'x' }, fetch)
      const theirs = await askOpenAI(fetch)
      const [choice] = theirs.choices
      expect(said(ours)).toEqual({
        text: choice?.message.content ?? '',
        calls: (choice?.message.tool_calls ?? []).map((call) =>
          call.type === 'function'
            ? [call.id, call.function.name, JSON.parse(call.function.arguments)]
            : [],
        ),
        finishReason: reasons[choice?.finish_reason ?? ''],
      })
      expect(ours.usage).toEqual({
        inputTokens: theirs.usage?.prompt_tokens,
        outputTokens: theirs.usage?.completion_tokens,
        cachedInputTokens: theirs.usage?.prompt_tokens_details?.cached_tokens,
        reasoningTokens: theirs.usage?.completion_tokens_details?.reasoning_tokens,
      })
    }),
  )
})

test('the @anthropic-ai/sdk client', async () => {
  await fc.assert(
    fc.asyncProperty(turns, cuts, pieceSizes, async (turn, lengths, pieceSize) => {
      const fetch = replay(messagesStream(turn, lengths), { pieceSize })
      const ours = await ask({ provider: 'anthropic', model: 'm', apiKey: 'x' }, fetch)
      const client = new Anthropic({ apiKey: 'x', baseURL: 'http://oracle', fetch, maxRetries: 0 })
      const theirs = await client.messages
        .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
        .finalMessage()
      const of = <Type extends Anthropic.ContentBlock['type']>(type: Type) =>
        theirs.content.filter(
          (block): block is Extract<Anthropic.ContentBlock, { type: Type }> => block.type === type,
        )
      expect(said(ours)).toEqual({
        text: of('text')
          .map((block) => block.text)
          .join(''),
        calls: of('tool_use').map(({ id, name, input }) => [id, name, input]),
        finishReason: reasons[theirs.stop_reason ?? ''],
      })
      expect(ours.reasoning).toBe(
        of('thinking')
          .map((block) => block.thinking)
          .join(''),
      )
      // The message that goes back to the vendor equals the vendor's own, including signatures.
      const content = ours.providerMetadata?.['anthropic']?.['content']
      expect(content).toEqual(turn.thinking.length > 0 ? theirs.content : undefined)
      expect(ours.usage).toEqual({
        inputTokens: theirs.usage.input_tokens,
        outputTokens: theirs.usage.output_tokens,
        cachedInputTokens: theirs.usage.cache_read_input_tokens,
        cacheWriteTokens: theirs.usage.cache_creation_input_tokens,
      })
    }),
  )
})

function streamOf(
  fixtures: readonly StreamFixture[],
  name: string,
  fill: (chunk: unknown) => unknown = (chunk) => chunk,
): string {
  const fixture = fixtures.find((each) => each.name === name)
  if (!fixture) throw new Error(`no fixture: ${name}`)
  const style = { lineEnd: '\n', space: ' ', events: true } as const
  return eventsOf({ ...fixture, chunks: fixture.chunks.map(fill) }, style).join('')
}

/** Fixtures have only the fields that matter; this client needs the usage of each message, too. */
function withUsage(chunk: unknown): unknown {
  const event = asRecord(chunk)
  const message = asRecord(event?.['message'])
  if (event?.['type'] === 'message_delta') return { usage: {}, ...event }
  return message ? { ...event, message: { usage: {}, ...message } } : chunk
}

describe('the @anthropic-ai/sdk client, on streams with their quirks', () => {
  const read = async (name: string) => {
    const fetch = replay(streamOf(messagesFixtures, name, withUsage), { pieceSize: 5 })
    const client = new Anthropic({ apiKey: 'x', baseURL: 'http://oracle', fetch, maxRetries: 0 })
    const theirs = client.beta.messages
      .stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
      .finalMessage()
    const ours = ask({ provider: 'anthropic', model: 'm', apiKey: 'x' }, fetch)
    return { ours: await ours, theirs }
  }

  test.each([
    'a compaction',
    'a pause after a compaction',
    'a text with citations of a web search',
    'redacted and interleaved thinking',
  ])('has the same content to send back: %s', async (name) => {
    const { ours, theirs } = await read(name)
    const { content, stop_reason: reason } = await theirs
    expect(ours.error).toBeUndefined()
    expect(ours.providerMetadata?.['anthropic']?.['content']).toEqual(content)
    expect(ours.finishReason).toBe(reason === 'compaction' ? 'pause' : reasons[reason ?? ''])
  })

  test('counts the same iterations', async () => {
    const { ours, theirs } = await read('usage of several iterations')
    const { usage } = await theirs
    const sum = (field: 'input_tokens' | 'output_tokens') =>
      usage.iterations?.reduce((total, iteration) => total + iteration[field], 0)
    expect(ours.usage.inputTokens).toBe(sum('input_tokens'))
    expect(ours.usage.outputTokens).toBe(sum('output_tokens'))
  })

  test.each([
    ['a refusal before any output', 'content-filter'],
    ['pause_turn', 'pause'],
  ])('stops for the same reason: %s', async (name, reason) => {
    const { ours, theirs } = await read(name)
    const { content, usage } = await theirs
    expect(ours.text).toBe(content.map((block) => ('text' in block ? block.text : '')).join(''))
    expect(ours.finishReason).toBe(reason)
    expect(ours.usage.outputTokens).toBe(usage.output_tokens)
  })

  test.each(['another message_start after a complete call', 'the same message once more'])(
    'refuses the same stream: %s',
    async (name) => {
      const { ours, theirs } = await read(name)
      await expect(theirs).rejects.toThrow('message_start')
      expect(ours.error?.code).toBe('bad-response')
    },
  )
})

describe('the openai client, on streams with their quirks', () => {
  test.each([
    'a finish reason first',
    'a second completion after the end marker',
    'whole arguments in one chunk',
  ])('reads the same answer: %s', async (name) => {
    const fetch = replay(streamOf(chatFixtures, name), { pieceSize: 5 })
    const ours = said(
      await ask({ provider: 'openai', api: 'chat', model: 'm', apiKey: 'x' }, fetch),
    )
    const [choice] = (await askOpenAI(fetch)).choices
    expect(ours.text).toBe(choice?.message.content ?? '')
    expect(ours.calls).toEqual(
      (choice?.message.tool_calls ?? []).map((call) =>
        call.type === 'function'
          ? [call.id, call.function.name, JSON.parse(call.function.arguments)]
          : [],
      ),
    )
  })
})

describe('the ollama client', () => {
  // The client speaks Ollama's own format, not the OpenAI-compatible one. So the answers are compared, not the bytes.
  const mock = new LLMock({ port: 0 })
  const toolCalls = [
    { name: 'get_weather', arguments: '{"city":"Paris"}' },
    { name: 'get_weather', arguments: '{"city":"Rome"}' },
  ]

  beforeAll(async () => {
    mock.on({ model: 'talks' }, { content: 'It is sunny — 21 °C. 🌞' })
    mock.on({ model: 'calls' }, { toolCalls })
    await mock.start()
  })
  afterAll(() => mock.stop())

  test.each(['talks', 'calls'])('reads the same answer by its own API: %s', async (model) => {
    const ours = await ask({ provider: 'ollama', model, baseURL: `${mock.url}/v1` })
    const client = new Ollama({ host: mock.url })
    let text = ''
    const calls: unknown[] = []
    const answer = await client.chat({
      model,
      stream: true,
      messages: [{ role: 'user', content: 'weather?' }],
      tools: [
        {
          type: 'function',
          function: { name: weatherTool.name, description: weatherTool.description },
        },
      ],
    })
    for await (const { message } of answer) {
      text += message.content
      for (const call of message.tool_calls ?? [])
        calls.push([call.function.name, call.function.arguments])
    }
    expect(ours.error).toBeUndefined()
    expect(ours.text).toBe(text)
    expect(ours.toolCalls.map((call) => [call.toolName, call.input])).toEqual(calls)
    expect(text.length + calls.length).toBeGreaterThan(0)
  })
})
