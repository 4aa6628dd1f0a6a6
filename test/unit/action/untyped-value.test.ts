import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../../src/protocol/json.ts'
import {
  describeMarkupError,
  readUntypedElements,
  readUntypedValue,
} from '../../../src/action/block-reader.ts'

test.each<[string, string, JsonValue]>([
  ['children', '<a>1</a><b>two</b>', { a: '1', b: 'two' }],
  ['children that close themselves', '<a/><b x="1" /><c>3</c>', { a: '', b: '', c: '3' }],
  ['an item that closes itself', '<item/><item>2</item>', ['', '2']],
  ['a repeated name', '<a>1</a><b>x</b><a>2</a>', { a: ['1', '2'], b: 'x' }],
  ['items beside others', '<item>1</item><a>2</a>', { item: '1', a: '2' }],
  ['text and CDATA in their order', '<a>x<![CDATA[<y>&amp;]]>&lt;z</a>', { a: 'x<y>&amp;<z' }],
  ['CDATA alone', '<a>\n<![CDATA[ &lt; ]]></a>', { a: ' &lt; ' }],
  ['comments and instructions', '<a>p<!-- <b> -->q<?x <c>?>r</a>', { a: 'pqr' }],
  ['attributes with brackets', `<a b="1>2" c='</a>'>t</a>`, { a: 't' }],
  ['carriage returns', '<a>1\r\n2\r3</a>', { a: '1\r\n2\r3' }],
  ['words between elements', 'so <a>1</a> and <b>2</b>', 'so <a>1</a> and <b>2</b>'],
  [
    'words between elements of an element',
    '<p>Hello <b>world</b>, how &amp; are you?</p>',
    { p: 'Hello <b>world</b>, how &amp; are you?' },
  ],
  ['CDATA in small letters', '<a><![cdata[<b>2</b>]]></a>', { a: '<b>2</b>' }],
  ['a document in CDATA', '<a><![CDATA[<!DOCTYPE html><p>]]></a>', { a: '<!DOCTYPE html><p>' }],
  [
    'names of Object.prototype',
    '<constructor>1</constructor><toString>2</toString>',
    { constructor: '1', toString: '2' },
  ],
])('%s', (_, markup, value) => {
  expect(describeMarkupError(markup)).toBeUndefined()
  expect(readUntypedValue(markup)).toEqual(value)
})

test('prototype keys and excessive nesting are rejected', () => {
  expect(() => readUntypedValue('<__proto__>1</__proto__>')).toThrow(/__proto__/)
  expect(() => readUntypedValue('<a>'.repeat(300) + '</a>'.repeat(300))).toThrow(/unreadable/)
})

test.each(['<!x><a>1</a>', '<a>wow <!important> stuff</a>', '<a>1</a><!b/><c>2</c>', '<![if IE]>'])(
  'the declaration in %s is rejected',
  (source) => {
    expect(describeMarkupError(source)).toMatch(/not allowed/)
    expect(describeMarkupError(`<a><![CDATA[${source}]]></a><!-- ${source} -->`)).toBeUndefined()
  },
)

test('text between elements is ignored where elements are required', () => {
  expect(readUntypedElements('so <a>1</a> and <b>2</b>')).toEqual({ a: '1', b: '2' })
})

describe('any written value', () => {
  const name = fc.constantFrom('a', 'b', 'c-d', 'e.f', 'é', 'prototype')
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc
        .string({ unit: 'grapheme' })
        .map((text) => `.${Array.from(text, (one) => (one < ' ' ? ' ' : one)).join('')}.`),
      fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
      fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
    ),
  }))

  test('reads back unchanged', () => {
    fc.assert(
      fc.property(value, fc.boolean(), (written, asCdata) => {
        const markup = write(written, asCdata)
        expect(describeMarkupError(markup)).toBeUndefined()
        expect(readUntypedValue(markup)).toEqual(written)
      }),
    )
  })
})

function write(value: JsonValue, asCdata: boolean): string {
  if (Array.isArray(value))
    return value.map((item) => `<item>${write(item, asCdata)}</item>`).join('')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(
        ([name, inner]) =>
          `<${name} x=">">\n${write(inner ?? '', asCdata)}</${name}><!-- ${name} -->`,
      )
      .join('\n')
  const text = String(value)
  if (asCdata && !text.includes(']]>')) return `<![CDATA[${text}]]>`
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
