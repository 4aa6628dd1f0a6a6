import { expect, it } from 'vitest'
import { cleanUntrustedText, withoutInvisible } from '../../../src/lib/invisible.ts'

it.each([
  ['a joiner of Persian', 'می\u200Cخواهم', 'میخواهم'],
  ['a joiner of Devanagari', 'क्\u200Dष', 'क्ष'],
  ['an emoji of several', '👩\u200D👧', '👩👧'],
  ['an emoji with its selector', '❤\uFE0F', '❤'],
  ['lines and tabs', 'a\r\n\tb', 'a\r\n\tb'],
])('%s stays in a text but is ignored in comparisons', (_, text, compared) => {
  expect(cleanUntrustedText(text)).toBe(text)
  expect(withoutInvisible(text)).toBe(compared)
})

it.each([
  ['tags', `a${String.fromCodePoint(0xe0041)}b`],
  ['marks of direction', 'a\u202Eb'],
  ['spaces of no width', 'a\u200Bb\uFEFF'],
  ['joiners between letters that don’t join', 'a\u200Cb\u200D'],
  ['what Unicode reserves for such', 'a\u2065\uFFF0b\uFFF8'],
  ['selectors behind letters', 'a\uFE0Fb\uFE01'],
])('%s are removed from texts and ignored in comparisons', (_, text) => {
  expect(cleanUntrustedText(text)).toBe('ab')
  expect(withoutInvisible(text)).toBe('ab')
})
