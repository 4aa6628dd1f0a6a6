import { expect, test } from 'vitest'
import { inputFields } from '../../../src/chat/parts/input-fields.ts'

const labels = (input: object, schema: object | null = null) =>
  inputFields(input as never, schema as never)?.map(({ label }) => label)
const texts = (input: object) => inputFields(input as never, null)?.map(({ text }) => text)

test('a field is called what the schema calls it, else by its key in words', () => {
  const schema = {
    type: 'object',
    properties: { to: { title: 'Recipient', description: 'Who gets it.' }, amountDue: {} },
  }
  const fields = inputFields({ to: 'Ada', amountDue: 3, delivery_address: 'Delft' }, schema)
  expect(fields).toEqual([
    { key: 'to', label: 'Recipient', hint: 'Who gets it.', text: 'Ada' },
    { key: 'amountDue', label: 'Amount due', text: '3' },
    { key: 'delivery_address', label: 'Delivery address', text: 'Delft' },
  ])
  expect(labels({ URL: 1, userID: 2, _: 3 })).toEqual(['URL', 'User ID', '_'])
})

test('what two fields would be called alike names neither', () => {
  const schema = { properties: { to: { title: 'To' }, from: { title: 'To' } } }
  expect(labels({ to: 1, from: 2 }, schema)).toEqual(['to', 'from'])
})

test('names that every object has are fields like others', () => {
  expect(labels({ constructor: 1 }, { properties: {} })).toEqual(['Constructor'])
  expect(labels({ toString: 1 }, { properties: { toString: 7 } })).toEqual(['To string'])
})

test('a text stands as it is, unless it could be taken for something else', () => {
  expect(texts({ a: 'Two words' })).toEqual(['Two words'])
  for (const text of ['5', 'true', 'null', '', ' x', '{"a":1}'])
    expect(texts({ a: text })).toEqual([JSON.stringify(text)])
  expect(texts({ a: 5, b: [1], c: null })).toEqual(['5', '[\n  1\n]', 'null'])
})

test('nothing is out of sight, in names and values', () => {
  const schema = { properties: { to: { title: 'To\u202e', description: 'x\u200by' } } }
  expect(inputFields({ to: 'a\u202eb\nc' }, schema)).toEqual([
    { key: 'to', label: 'To⟨U+202E⟩', hint: 'x⟨U+200B⟩y', text: 'a⟨U+202E⟩b⏎\nc' },
  ])
})

test('what has no fields is none of a form', () => {
  for (const input of [[1], 'text', 7, null, {}])
    expect(inputFields(input as never, null)).toBeNull()
})
