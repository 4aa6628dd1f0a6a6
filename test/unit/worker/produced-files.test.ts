import { expect, test } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import type { FilePart, StreamPart } from '../../../src/protocol/message.ts'
import { defineProvider } from '../../../src/providers/registry.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage } from '../../../src/testing/index.ts'

const png: FilePart = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' }

/** A model that says these parts, and what it was asked. */
function painter(...parts: readonly StreamPart[]): {
  readonly provider: ReturnType<typeof defineProvider>
  readonly asked: ModelRequest[]
} {
  const asked: ModelRequest[] = []
  const provider = defineProvider({
    id: 'painter',
    async *stream(request) {
      asked.push(request)
      yield [...parts, { type: 'finish', finishReason: 'stop' }]
    },
  })
  return { provider, asked }
}

const words: StreamPart = { type: 'text-delta', delta: 'Here: ' }
const more: StreamPart = { type: 'text-delta', delta: 'Well?' }
const file: StreamPart = { type: 'file', file: png }
const drawn = [{ type: 'text', text: 'Here: ' }, png, { type: 'text', text: 'Well?' }]

test('a produced file is a message part and an event, and shown after a reload', async () => {
  const { provider, asked } = painter(words, file, more)
  const testStorage = createTestStorage()
  const open = (): Agent =>
    createTestAgent({
      model: { provider: 'painter', model: 'm' },
      providers: [provider],
      testStorage,
    })
  const before = open()
  const run = before.run('Draw.')
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Here: Well?' })
  const shown = events.filter((event) => event.type === 'file')
  expect(shown).toMatchObject([{ file: png }])
  const order = events.map(({ type }) => type)
  expect(order.indexOf('file')).toBeLessThan(order.indexOf('step-end'))
  await before.dispose()

  const after = open()
  const { conversationId } = run
  expect(await after.run('Redder.', { conversationId }).result).toMatchObject({
    outcome: 'completed',
  })
  const messages = (await after.conversations.get(conversationId))?.messages ?? []
  expect(messages.map(({ parts }) => parts)).toEqual([
    [{ type: 'text', text: 'Draw.' }],
    drawn,
    [{ type: 'text', text: 'Redder.' }],
    drawn,
  ])
  expect(messages[1]).toMatchObject({ id: shown[0]?.messageId })
  expect(asked[1]?.messages[1]).toMatchObject({ role: 'assistant', parts: drawn })
  await after.dispose()
})

test('a produced file is part of an export', async () => {
  const { provider } = painter(words, file, more)
  const open = (): Agent =>
    createTestAgent({ model: { provider: 'painter', model: 'm' }, providers: [provider] })
  const from = open()
  const { conversationId, result } = from.run('Draw.')
  await result
  const exported = await new Response(await from.conversations.export(conversationId)).blob()
  await from.dispose()
  const to = open()
  await to.conversations.import(exported)
  const messages = (await to.conversations.get(conversationId))?.messages ?? []
  expect(messages[1]?.parts).toEqual(drawn)
  await to.dispose()
})

test('a produced file is kept in ACTION mode, too', async () => {
  const { provider, asked } = painter(words, file)
  const agent = createTestAgent({
    model: { provider: 'painter', model: 'm', toolMode: 'action' },
    providers: [provider],
    tools: [{ name: 'look', description: 'Looks.', execute: () => 'seen' }],
  })
  const run = agent.run('Draw.')
  await run.result
  await agent.run('Redder.', { conversationId: run.conversationId }).result
  expect(asked[1]?.messages[1]?.parts).toContainEqual(png)
  await agent.dispose()
})

test('files over the cap end the run', async () => {
  const { provider } = painter(words, file, file)
  const agent = createTestAgent({
    model: { provider: 'painter', model: 'm', caps: { files: 20 } },
    providers: [provider],
  })
  expect(await agent.run('Draw.').result).toMatchObject({
    outcome: 'failed',
    error: { code: 'response-too-large', details: { cap: 'files', limit: 20 } },
  })
  await agent.dispose()
})

test('an answer that is cut off keeps its text but not its files', async () => {
  const provider = defineProvider({
    id: 'painter',
    async *stream() {
      yield [
        words,
        file,
        { type: 'error', error: { code: 'network', message: 'gone', retryable: false } },
      ]
    },
  })
  const agent = createTestAgent({
    model: { provider: 'painter', model: 'm' },
    providers: [provider],
  })
  const run = agent.run('Draw.')
  expect(await run.result).toMatchObject({ outcome: 'failed' })
  const messages = (await agent.conversations.get(run.conversationId))?.messages ?? []
  expect(messages.at(-1)?.parts).toEqual([{ type: 'text', text: 'Here: ' }])
  await agent.dispose()
})

test('a model known to take no images gets text in their place', async () => {
  const { provider, asked } = painter(words, file)
  for (const [model, isShown] of [
    ['gpt-oss:20b', false],
    ['unknown', true],
  ] as const) {
    asked.length = 0
    const agent = createTestAgent({ model: { provider: 'painter', model }, providers: [provider] })
    const { conversationId, result } = agent.run([{ ...png, filename: 'cat.png' }])
    await result
    await agent.run('Well?', { conversationId }).result
    await agent.dispose()
    const sent = JSON.stringify(asked[1]?.messages)
    expect(sent.includes(png.data)).toBe(isShown)
    expect(sent.includes('[A file was left out: cat.png, image/png]')).toBe(!isShown)
    expect(sent.includes('[A file was left out: image/png]')).toBe(!isShown)
  }
})

test('tool files become text for such a model, too', async () => {
  const asked: ModelRequest[] = []
  const provider = defineProvider({
    id: 'painter',
    async *stream(request) {
      asked.push(request)
      const call: StreamPart = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }
      yield asked.length === 1
        ? [call, { type: 'finish', finishReason: 'tool-calls' }]
        : [words, { type: 'finish', finishReason: 'stop' }]
    },
  })
  const agent = createTestAgent({
    model: { provider: 'painter', model: 'gpt-oss:20b' },
    providers: [provider],
    tools: [
      {
        name: 'look',
        description: 'Looks.',
        execute: () =>
          new Blob([Uint8Array.from(atob(png.data), (char) => char.charCodeAt(0))], {
            type: png.mediaType,
          }),
      },
    ],
  })
  expect(await agent.run('Look.').result).toMatchObject({ outcome: 'completed', steps: 2 })
  expect(JSON.stringify(asked[1]?.messages)).toContain('was left out: image/png')
  expect(JSON.stringify(asked[1]?.messages)).not.toContain(png.data)
  await agent.dispose()
})
