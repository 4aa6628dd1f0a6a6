import { describe, expect, it } from 'vitest'
import { readKey } from '../../../src/page-tools/act/text/key.ts'
import { cleanText, quote, shorten } from '../../../src/page-tools/clean-text.ts'
import { similarity } from '../../../src/page-tools/read/find.ts'
import { parseRef } from '../../../src/page-tools/refs.ts'

describe('text for a model', () => {
  it('is on one line, without invisible characters', () => {
    expect(cleanText('  a\n\tb  ')).toBe('a b')
    expect(cleanText('zero\u200Bwidth\uFEFF \u202Eright\u00AD')).toBe('zerowidth right')
    expect(cleanText('say\u{E0068}\u{E0069} \uE001icon')).toBe('say icon')
    expect(cleanText('Grüße 世界 😀')).toBe('Grüße 世界 😀')
  })

  it('reports how much was cut, and splits no character', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef')
    expect(shorten('abcdef', 4)).toBe('abcd… (2 more characters)')
    expect(shorten('abc😀def', 4)).toBe('abc… (4 more characters)')
  })

  it("can't close its quotes", () => {
    expect(quote('a " b \\')).toBe('"a \\" b \\\\"')
  })
})

describe('similarity', () => {
  it('ranks equal above prefix, part, words and no match', () => {
    const scores = ['save', 'save all', 'auto save now', 'now save then all', 'cancel'].map(
      (text) => similarity('save', text),
    )
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(scores[0]).toBe(1)
    expect(scores.at(-1)).toBe(0)
  })

  it('tolerates one wrong letter', () => {
    expect(similarity('delete', 'delate')).toBeGreaterThan(0.3)
    expect(similarity('delete', 'deletes')).toBeGreaterThan(0.3)
  })
})

describe('refs and keys as models write them', () => {
  it.each(['e12', ' e12 ', 'ref=e12', '[ref=e12]', '@e12', 'E12', 'ref: e12'])('%s', (text) => {
    expect(parseRef(text)).toBe('e12')
  })

  it.each(['Save', 'e', '12', 'e12 button'])('%s is not a ref', (text) => {
    expect(parseRef(text)).toBeNull()
  })

  it('reads keys with modifiers and by their usual names', () => {
    expect(readKey('ctrl+shift+a')).toMatchObject({
      key: 'A',
      ctrlKey: true,
      shiftKey: true,
      code: 'KeyA',
    })
    expect(readKey('esc')).toMatchObject({ key: 'Escape', keyCode: 27 })
    expect(readKey('Space')).toMatchObject({ key: ' ', code: 'Space', keyCode: 32 })
    expect(readKey('?')).toEqual({ key: '?', code: 'Slash', keyCode: 191, shiftKey: true })
    expect(readKey('A')).toEqual({ key: 'A', code: 'KeyA', keyCode: 65, shiftKey: true })
    expect(readKey('7')).toEqual({ key: '7', code: 'Digit7', keyCode: 55 })
    expect(readKey('Control+A')).toEqual({ key: 'a', code: 'KeyA', keyCode: 65, ctrlKey: true })
    expect(readKey('Shift+a')).toMatchObject({ key: 'A', shiftKey: true })
    expect(readKey('+')).toMatchObject({ key: '+' })
    expect(readKey('Control++')).toMatchObject({ key: '+', ctrlKey: true })
    expect(() => readKey('Hyper+a')).toThrow(/modifier/)
    expect(() => readKey('hello')).toThrow(/no key/)
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(() => readKey(name)).toThrow(/no key/)
      expect(() => readKey(`${name}+a`)).toThrow(/modifier/)
    }
  })
})
