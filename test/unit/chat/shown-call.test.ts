import { expect, test } from 'vitest'
import {
  outputText,
  resultOf,
  stateOf,
  distinctiveValue,
} from '../../../src/ui/chat/parts/shown-call.ts'
import type { JsonValue, ShownCall, ToolOutput } from '../../../src/index.ts'

function ended(output: ToolOutput, more: Partial<ShownCall> = {}): ShownCall {
  return {
    toolCallId: 'c1',
    conversationId: 'c',
    path: ['c1'],
    toolName: 'send',
    status: 'succeeded',
    output,
    ...more,
  }
}

const json = (value: JsonValue): ToolOutput => ({ type: 'json', value })
const text = (value: string): ToolOutput => ({ type: 'text', value })

test.each<[ToolOutput, string]>([
  [text('Sent to Ada.\nIts number is 7.'), 'Sent to Ada.'],
  [json('Sent.'), 'Sent.'],
  [{ type: 'content', value: [{ type: 'text', text: 'Sent.' }] }, 'Sent.'],
  [json({ message: 'In the cart', id: 7 }), 'In the cart'],
  [json({ status: 'queued' }), 'queued'],
  [text('Se\u202ent'), 'Se⟨U+202E⟩nt'],
])('a result in words is what a finished call shows: %j', (output, shown) => {
  expect(resultOf(ended(output))).toEqual({ text: shown, isDone: true })
  expect(stateOf(ended(output))).toMatchObject({ kind: 'done', word: 'done' })
})

test.each<[ToolOutput, string]>([
  [json({ sent: false, reason: 'The form has no address.' }), 'The form has no address.'],
  [json({ ok: false }), ''],
  [json({ success: false, message: 'Closed' }), 'Closed'],
  [json({ booked: false, reason: 'Full' }), 'Full'],
  [json({ error: 'Sold out' }), 'Sold out'],
  [
    text('Typed in "Town".\nThe form was not sent. "E-mail" says: Fill this in.'),
    'The form was not sent. "E-mail" says: Fill this in.',
  ],
])('a result that says that nothing was done is no success: %j', (output, shown) => {
  expect(resultOf(ended(output))).toEqual({ text: shown, isDone: false })
  expect(stateOf(ended(output))).toEqual({ kind: 'problem', word: 'notDone' })
})

test.each<[string, ShownCall]>([
  ['data', ended(json({ items: 3, inStock: false }))],
  ['a new task', ended(json({ title: 'Tidy up', done: false }))],
  ['a list', ended(json(['a']))],
  ['data as text', ended(text('{"items":3}'))],
  ['markup', ended(text('<p>Sent</p>'))],
  ['nothing', ended(text(' '))],
  ['a page that was only read', ended(text('Great mugs!'), { readOnly: true })],
  ['a failed call', ended(text('Sent.'), { status: 'failed' })],
])('%s is no result in words', (_, call) => {
  expect(resultOf(call)).toBeNull()
})

test('a long result shows its beginning', () => {
  expect(resultOf(ended(text('x'.repeat(500))))?.text).toHaveLength(161)
})

test.each<[JsonValue | undefined, string]>([
  [{ count: 2, sku: 'mug-large-red', title: 'Large mug' }, 'Large mug'],
  [{ count: 2, fileName: 'a.pdf' }, 'a.pdf'],
  [{ text: 'Hello', orderId: 'K-7' }, 'K-7'],
  [{ query: 'mugs', limit: 3 }, 'mugs'],
  [{ deep: {}, slot: 'Friday\nmorning' }, 'Friday'],
  [{ number: 7 }, '7'],
  [{ password: 'x', cardNumber: '4111', user: 'ada' }, 'ada'],
  [{ on: true, title: ' ' }, ''],
  [{}, ''],
  ['text', ''],
  [undefined, ''],
])('the value that tells calls apart in %j is %j', (input, value) => {
  expect(distinctiveValue({ ...(input !== undefined && { input }) })).toBe(value)
})

test.each<[ToolOutput]>([
  [text('Blue\nRed')],
  [{ type: 'content', value: [{ type: 'text', text: 'Blue\nRed' }] }],
  [{ type: 'error', code: 'failed', message: 'Blue\nRed' }],
])('lines of the output %j stay lines', (output) => {
  expect(outputText(output)).toBe('Blue\nRed')
})
