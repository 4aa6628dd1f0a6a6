import { expect, test } from 'vitest'
import { beginningOf, inputFields } from '../../../src/ui/chat/parts/input-fields.ts'

const labels = (input: object, schema: object | null = null) =>
  inputFields(input as never, schema as never)?.map(({ label }) => label)
const texts = (input: object) => inputFields(input as never, null)?.map(({ text }) => text)

test('a field has the label from its schema, or else its key in words', () => {
  const schema = {
    type: 'object',
    properties: {
      to: { title: 'Recipient', description: 'Who gets it.' },
      amountDue: {},
      delivery_address: {},
    },
  }
  const fields = inputFields({ to: 'Ada', amountDue: 3, delivery_address: 'Delft' }, schema)
  expect(fields).toEqual([
    {
      key: 'to',
      label: 'Recipient',
      isOfSchema: true,
      hint: 'Who gets it.',
      text: 'Ada',
      isText: true,
    },
    { key: 'amountDue', label: 'Amount due', isOfSchema: true, text: '3', isText: false },
    {
      key: 'delivery_address',
      label: 'Delivery address',
      isOfSchema: true,
      text: 'Delft',
      isText: true,
    },
  ])
  const names = { URL: 1, userID: 2, _: 3 }
  expect(labels(names, { properties: { URL: {}, userID: {}, _: {} } })).toEqual([
    'URL',
    'User ID',
    '_',
  ])
})

test('a key outside the schema is quoted unchanged and marked as the model’s', () => {
  const schema = { properties: { amount: { title: 'Amount' } } }
  const input = { amount: 5, 'Checked by your bank': 'Safe.', 'a\u202e"\nb': 1, Amount: 2 }
  const fields = inputFields(input, schema)
  expect(fields).toEqual([
    { key: 'amount', label: 'Amount', isOfSchema: true, text: '5', isText: false },
    {
      key: 'Checked by your bank',
      label: '"Checked by your bank"',
      isOfSchema: false,
      text: 'Safe.',
      isText: true,
    },
    {
      key: 'a\u202e"\nb',
      label: String.raw`"a⟨U+202E⟩\"\nb"`,
      isOfSchema: false,
      text: '1',
      isText: false,
    },
    { key: 'Amount', label: '"Amount"', isOfSchema: false, text: '2', isText: false },
  ])
  // If the tool's schema isn't known, no field counts as part of it.
  expect(inputFields({ amount: 5 }, null)).toEqual([
    { key: 'amount', label: '"amount"', isOfSchema: false, text: '5', isText: false },
  ])
})

test('keys from the model take no label from the schema', () => {
  const schema = { properties: { to: { title: 'To' }, from: { title: 'To' } } }
  expect(labels({ to: 1, from: 2, To: 3 }, schema)).toEqual(['to', 'from', '"To"'])
  expect(labels({ to: 1, To: 3 }, schema)).toEqual(['To', '"To"'])
})

test('a label that two fields would share is used for neither', () => {
  const schema = { properties: { to: { title: 'To' }, from: { title: 'To' } } }
  expect(labels({ to: 1, from: 2 }, schema)).toEqual(['to', 'from'])
})

test('names of built-in object properties are ordinary fields', () => {
  expect(labels({ constructor: 1 }, { properties: {} })).toEqual(['"constructor"'])
  expect(labels({ toString: 1 }, { properties: { toString: 7 } })).toEqual(['To string'])
})

test('a text is shown unchanged unless it could be mistaken for another value', () => {
  expect(texts({ a: 'Two words' })).toEqual(['Two words'])
  const alike = ['5', '+5', '0x10', '1e3', 'Infinity', 'true', 'True', 'null', 'undefined', 'NaN']
  for (const text of [...alike, '', ' x', '{"a":1}', '[1', '"x"'])
    expect(texts({ a: text })).toEqual([JSON.stringify(text)])
  // Named in it is what JSON forbids: it would look like the text ` x\u0001` that is quoted.
  expect(texts({ a: '" x\u0001"' })).toEqual([String.raw`"\" x⟨U+0001⟩\""`])
  expect(texts({ a: 5, b: [1], c: null })).toEqual(['5', '[\n  1\n]', 'null'])
})

test('hidden characters in names and values are made visible', () => {
  const schema = { properties: { to: { title: 'To\u202e', description: 'x\u200by' } } }
  expect(inputFields({ to: 'a\u202eb\nc' }, schema)).toEqual([
    {
      key: 'to',
      label: 'To⟨U+202E⟩',
      isOfSchema: true,
      hint: 'x⟨U+200B⟩y',
      text: 'a⟨U+202E⟩b⏎\nc',
      isText: true,
    },
  ])
})

test('different values look different, also when nested', () => {
  const values = [
    true,
    'true',
    2,
    '2',
    null,
    'null',
    '',
    [],
    '[]',
    {},
    '{}',
    ['2'],
    [2],
    [''],
    [null],
  ]
  const nested = values.flatMap((value) => [value, [value], { key: value }])
  const shown = nested.map((value) => texts({ value })?.[0])
  const different = new Set(nested.map((value) => JSON.stringify(value)))
  expect(new Set(shown).size).toBe(different.size)
})

test('a long nested record or list has its own fields; a short one is one field', () => {
  const body = 'A long text. '.repeat(40).trim()
  const schema = {
    properties: {
      message: { title: 'Message', properties: { to: { description: 'Who gets it.' } } },
      people: { items: { properties: { name: {} } } },
    },
  }
  const people = [{ name: 'Ada' }, { name: body, role: 8 }]
  const fields = inputFields({ message: { to: 'me', body, bcc: ['evil'] }, people }, schema)
  expect(fields?.slice(0, 3)).toEqual([
    {
      key: 'message.to',
      label: 'Message › To',
      isOfSchema: true,
      hint: 'Who gets it.',
      text: 'me',
      isText: true,
    },
    {
      key: 'message.body',
      label: 'Message › "body"',
      isOfSchema: false,
      text: body,
      isText: true,
    },
    {
      key: 'message.bcc',
      label: 'Message › "bcc"',
      isOfSchema: false,
      text: '[\n  "evil"\n]',
      isText: false,
    },
  ])
  expect(fields?.slice(3)).toEqual([
    {
      key: 'people.0',
      label: 'People › 1',
      isOfSchema: true,
      text: '{\n  "name": "Ada"\n}',
      isText: false,
    },
    {
      key: 'people.1.name',
      label: 'People › 2 › Name',
      isOfSchema: true,
      text: body,
      isText: true,
    },
    {
      key: 'people.1.role',
      label: 'People › 2 › "role"',
      isOfSchema: false,
      text: '8',
      isText: false,
    },
  ])
  expect(labels({ message: { to: 'me', bcc: 'evil' } }, schema)).toEqual(['Message'])
})

test('a text starts with the lines and characters that fit in view at once', () => {
  expect(beginningOf('a\n'.repeat(20))).toBe(`${'a\n'.repeat(7)}a`)
  expect(beginningOf('x'.repeat(500))).toHaveLength(400)
  // No half of a character.
  expect(beginningOf('😀'.repeat(500))).toBe('😀'.repeat(400))
  expect(beginningOf('Short.')).toBe('Short.')
})

test('a value without fields is not a form', () => {
  for (const input of [[1], 'text', 7, null, {}])
    expect(inputFields(input as never, null)).toBeNull()
})
