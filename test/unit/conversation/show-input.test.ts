import { describe, expect, test } from 'vitest'
import { showInput, visibleText } from '../../../src/conversation/index.ts'

describe('visibleText', () => {
  test.each([
    ['a bidi override', 'to \u202eeve', 'to ⟨U+202E⟩eve'],
    ['an isolate and a mark', '\u2066a\u200f', '⟨U+2066⟩a⟨U+200F⟩'],
    ['spaces of no width', 'a\u200bb\u2060c\ufeffd', 'a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩d'],
    ['tags', 'a\u{e0061}', 'a⟨U+E0061⟩'],
    ['fillers and blanks', '\u3164\u2800\uffa0', '⟨U+3164⟩⟨U+2800⟩⟨U+FFA0⟩'],
    ['what Unicode reserves for such', 'a\u2065b\ufff0\ufff8c', 'a⟨U+2065⟩b⟨U+FFF0⟩⟨U+FFF8⟩c'],
    ['controls and separators', 'a\u0000\u0085\u2028', 'a⟨U+0000⟩⟨U+0085⟩⟨U+2028⟩'],
    ['many spaces', `5 €${' '.repeat(40)}to Eve`, '5 €⟨40 spaces⟩to Eve'],
    ['many spaces of other kinds', 'a\u00a0\u3000\u2003 b', 'a⟨4 spaces⟩b'],
    ['empty lines', 'a\n\n \n\nb', 'a⟨4 lines⟩b'],
    ['a line break', 'a\r\nb\nc', 'a⏎\nb⏎\nc'],
    ['a variation selector behind a letter', 'a\ufe0f', 'a⟨U+FE0F⟩'],
  ])('shows %s', (_name, text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  test.each([
    ['plain words', 'Grüße, 你好, שלום, 12\u00a0€ ¡olé!'],
    ['emoji', '👨‍👩‍👧 ❤️ 👍🏽 1️⃣ 🇦🇹'],
    ['joiners where a script is written with them', 'می\u200cخواهم क्\u200dष'],
    ['a few spaces and a tab', 'a  b\tc'],
  ])('leaves unchanged %s', (_name, text) => {
    expect(visibleText(text)).toBe(text)
  })
})

describe('showInput', () => {
  test('shows data as JSON, with hidden characters in names and texts', () => {
    const input = { to: 'a\u202eb', list: [1, null, true, {}], empty: [], note: 'x\ny' }
    expect(showInput(input)).toBe(`{
  "to": "a⟨U+202E⟩b",
  "list": [
    1,
    null,
    true,
    {}
  ],
  "empty": [],
  "note": "x\\ny"
}`)
  })

  test('leaves out no field, whatever its name', () => {
    const input = JSON.parse('{"__proto__": 1, "to": 2, "to\u200b": 3, "to⟨U+200B⟩": 4}') as object
    const shown = showInput(input as never)
    for (const value of [1, 2, 3, 4]) expect(shown).toContain(`: ${value}`)
  })

  test('for plain data, equals the result of JSON.stringify', () => {
    const input = { a: [{ b: '"q"' }], c: 1.5, d: '', e: 'ünï' }
    expect(showInput(input)).toBe(JSON.stringify(input, null, 2))
  })
})
