import { expect, test } from 'vitest'
import { createSecretReplacer } from '../../../src/lib/replace-repeats.ts'

const replace = (secret: string, text: string): string =>
  createSecretReplacer(new Map([[secret, '***']])).replace(text)

test.each([
  ['as it is', 'hunter2!', 'It is hunter2! indeed.', 'It is *** indeed.'],
  ['inside of a word, when it is long', 'correcthorse', 'xcorrecthorsex', 'x***x'],
  ['as JSON writes it', 'a"b\\c\nd4', JSON.stringify({ v: 'a"b\\c\nd4' }), '{"v":"***"}'],
  ['as XML writes it', 'p<a&ss>', '<v>p&lt;a&amp;ss&gt;</v>', '<v>***</v>'],
  ['as addresses write it', 'pass word!', '/?p=pass+word%21&q=1', '/?p=***&q=1'],
  ['as addresses write it, with %20', 'pass word!', '/?p=pass%20word%21', '/?p=***'],
  ['without the spaces around it', '  hunter2!  ', 'hunter2!', '***'],
  [
    'with all that means something in a pattern',
    'a.b*c-d[e]',
    'a.b*c-d[e] axb*c-d[e]',
    '*** axb*c-d[e]',
  ],
])('a text is replaced %s', (_, secret, text, expected) => {
  expect(replace(secret, text)).toBe(expected)
})

test('a short text is replaced only as a whole word, a very short one never', () => {
  expect(replace('123', 'CVC 123, ref e123, 1234')).toBe('CVC ***, ref e123, 1234')
  expect(replace('12', '12')).toBe('12')
})

test('when several texts match, the longest is replaced', () => {
  const { replace: both } = createSecretReplacer(
    new Map([
      ['secret', 'A'],
      ['secret-2', 'B'],
    ]),
  )
  expect(both('secret secret-2')).toBe('A B')
})

test('with no texts to find, nothing is replaced', () => {
  const { replace: none, hasSecret } = createSecretReplacer(new Map())
  expect(none('a')).toBe('a')
  expect(hasSecret('')).toBe(false)
})
