import { expect, test } from 'vitest'
import type { AssistantMessage, Message, ToolMessage } from '../../../src/protocol/message.ts'
import { healHistory } from '../../../src/providers/heal-history.ts'

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })
const calls = (...ids: readonly string[]): AssistantMessage => ({
  role: 'assistant',
  parts: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'ping', input: {} })),
})
const results = (...ids: readonly string[]): ToolMessage => ({
  role: 'tool',
  parts: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'ping',
    output: { type: 'text', value: `of ${toolCallId}` },
  })),
})

/** Roles and ids, which is what vendors check. */
const outline = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    const ids = message.parts.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : []))
    return [message.role, ...ids].join(' ')
  })

test('a valid history stays unchanged', () => {
  const sound = [user('Hi'), calls('a', 'b'), results('a', 'b'), user('Bye')]
  const healed = healHistory(sound)
  expect(healed).toEqual(sound)
  expect(healed.every((message, index) => message === sound[index])).toBe(true)
})

test.each<[name: string, messages: Message[], expected: string[]]>([
  ['a call without a result', [calls('a'), user('Hi')], ['assistant a', 'tool a', 'user']],
  ['a result without a call', [user('Hi'), results('a')], ['user']],
  ['results out of order', [calls('a', 'b'), results('b', 'a')], ['assistant a b', 'tool a b']],
  [
    'results in messages of their own',
    [calls('a', 'b'), results('b'), results('a')],
    ['assistant a b', 'tool a b'],
  ],
  [
    'a result behind a user message',
    [calls('a'), user('Hi'), results('a')],
    ['assistant a', 'tool a', 'user'],
  ],
  ['a result twice', [calls('a'), results('a'), results('a')], ['assistant a', 'tool a']],
  [
    'an id used again',
    [calls('a'), results('a'), calls('a'), results('a')],
    ['assistant a', 'tool a', 'assistant a_2', 'tool a_2'],
  ],
  [
    'an id twice in one message',
    [calls('a', 'a'), results('a', 'a')],
    ['assistant a a_2', 'tool a a_2'],
  ],
  ['a result before its call', [results('a'), calls('a')], ['assistant a', 'tool a']],
])('%s', (_, messages, expected) => {
  const before = structuredClone(messages)
  expect(outline(healHistory(messages))).toEqual(expected)
  expect(messages).toEqual(before)
})

test('F12 a missing result says that the call may have happened', () => {
  const healed = healHistory([calls('a')])
  expect(healed[1]?.parts[0]).toMatchObject({ output: { type: 'error', code: 'interrupted' } })
})

test("a result gets the provider's id of its call", () => {
  const call: AssistantMessage = {
    role: 'assistant',
    parts: [
      { type: 'tool-call', toolCallId: 'a', providerCallId: 'p', toolName: 'ping', input: {} },
    ],
  }
  expect(healHistory([call, results('a')])[1]?.parts[0]).toMatchObject({ providerCallId: 'p' })
})
