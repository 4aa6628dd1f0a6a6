import { expect, test } from 'vitest'
import type { Message, StreamPart } from '../../../src/protocol/message.ts'
import type { Script } from '../../../src/protocol/model.ts'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { pingTool } from './support/replay.ts'

const user = (text: string, synthetic = false): Message => ({
  role: 'user',
  parts: [{ type: 'text', text }],
  ...(synthetic && { synthetic }),
})
const assistant: Message = { role: 'assistant', parts: [{ type: 'text', text: 'ok' }] }

function play(
  script: Script,
  messages: readonly Message[],
  toolMode: ModelRequest['toolMode'] = 'native',
): Promise<CollectedTurn> {
  const provider = createProvider({ provider: 'scripted', model: 'demo', script })
  return collect(provider.stream({ messages, tools: [pingTool], toolMode }))
}

const script: Script = {
  steps: [
    {
      reasoning: 'Hm.',
      text: 'One 👩‍👩‍👧',
      toolCalls: [
        { toolName: 'ping', input: { n: 1 } },
        { toolName: 'ping', input: {} },
      ],
    },
    { text: 'Two' },
  ],
}

test('the step is the number of assistant messages since the last user message', async () => {
  const first = await play(script, [user('Hi')])
  expect(first).toMatchObject({
    text: 'One 👩‍👩‍👧',
    reasoning: 'Hm.',
    finishReason: 'tool-calls',
    toolCalls: [
      { toolName: 'ping', input: { n: 1 } },
      { toolName: 'ping', input: {} },
    ],
  })
  expect(await play(script, [user('Hi')])).toEqual(first)
  const second = await play(script, [user('Hi'), assistant, user('again', true)])
  expect(second).toMatchObject({ text: 'Two', finishReason: 'stop', usage: {} })
  expect(await play(script, [user('Hi'), assistant, user('More')])).toMatchObject({
    text: 'One 👩‍👩‍👧',
  })
})

test('ids are unique in a conversation', async () => {
  const turns = await Promise.all([
    play(script, [user('Hi')]),
    play(script, [user('Hi'), assistant, assistant, user('More')]),
  ])
  const ids = turns.flatMap((turn) => turn.toolCalls.map((call) => call.toolCallId))
  expect(new Set(ids).size).toBe(4)
})

test('scenes are chosen by the last user message', async () => {
  const scenes: Script = {
    scenes: [{ match: ['weather', 'rain'], steps: [{ text: 'Sunny' }] }],
    fallback: [{ text: 'Pardon?' }],
  }
  expect((await play(scenes, [user('Will it RAIN?')])).text).toBe('Sunny')
  expect((await play(scenes, [user('Hello')])).text).toBe('Pardon?')
})

test('an exhausted script and a scripted failure return errors', async () => {
  expect((await play({ steps: [] }, [user('Hi')])).error?.code).toBe('script-exhausted')
  expect(await play({ steps: [{ text: 'Hm', error: 'on fire' }] }, [user('Hi')])).toMatchObject({
    text: 'Hm',
    error: { code: 'provider-error', message: 'on fire' },
  })
})

test('in ACTION mode calls are written as text', async () => {
  const turn = await play(script, [user('Hi')], 'action')
  expect(turn.toolCalls).toEqual([])
  expect(turn.text).toMatch(/^One .*\n<ACTION>/)
  expect(turn.text).toContain('ping')
})

test('output is paced and can be aborted', async () => {
  const controller = new AbortController()
  const provider = createProvider({
    provider: 'scripted',
    model: 'demo',
    script: { steps: [{ text: 'abcdefgh', delayMs: 1 }], paceMs: 10_000, pieceLength: 2 },
  })
  const parts: StreamPart[] = []
  for await (const part of provider.stream(
    { messages: [user('Hi')], tools: [] },
    { signal: controller.signal },
  )) {
    parts.push(part)
    controller.abort()
  }
  expect(parts).toMatchObject([
    { type: 'text-delta', delta: 'ab' },
    { type: 'error', error: { code: 'aborted' } },
  ])
})

test.each([
  ['fallback', { fallback: { text: 'Hm?' } }, 'a list of steps'],
  ['steps', { steps: ['Hello'] }, 'a list of steps'],
  ['scenes', { scenes: [{ match: 'add', steps: [] }] }, 'which are lists'],
  ['steps', { steps: [{ toolCalls: { toolName: 'ping' } }] }, 'a list of steps'],
  ['paceMs', { paceMs: '20' }, 'a number of milliseconds'],
])('a script with invalid %s is refused with an explanation', async (name, wrong, what) => {
  const { error } = await play(wrong as unknown as Script, [user('Hello')])
  expect(error).toMatchObject({ code: 'invalid-config', retryable: false })
  expect(error?.message).toContain(`${name} of a script must be`)
  expect(error?.message).toContain(what)
})
