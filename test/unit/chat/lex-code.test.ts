import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEED } from '../../../scripts/lib/seed.mjs'
import { KINDS, lex, lexerOf } from '../../../src/ui/chat/markdown/code-colors.ts'

/** Texts of the tokens, by kind. */
function tokensOf(language: string, code: string): Record<string, string[]> {
  const lexer = lexerOf(language)
  const tokens = lexer ? lex(lexer, code) : []
  const found: Record<string, string[]> = {}
  for (const { kind, from, to } of tokens)
    (found[KINDS[kind] ?? ''] ??= []).push(code.slice(from, to))
  return found
}

test('TypeScript has comments, keywords, called names, strings over lines, and numbers', () => {
  const code =
    'const n = sum(0xFF, 1_000) // "no" const\nreturn `a ${b}\n"c"` + it.for + "x\\"y"\n/* if\n3 */'
  expect(tokensOf('ts', code)).toEqual({
    comment: ['// "no" const', '/* if\n3 */'],
    keyword: ['const', 'return'],
    name: ['sum'],
    string: ['`a ${b}\n"c"`', '"x\\"y"'],
    number: ['0xFF', '1_000'],
  })
})

test.each([
  ['json', '{ "on": true, "n": [-1.5e3, "a:b"] }', { name: ['"on"', '"n"'], string: ['"a:b"'] }],
  ['html', '<!-- <b> --><a href="/x">it\'s &amp; "q"</a>', { name: ['href'], string: ['"/x"'] }],
  [
    'css',
    '@media (width < 4em) { a:hover { color: #ff00aa; --x: 1px } /* b: c */ }',
    { keyword: ['@media'], name: ['color', '--x'], number: ['4em', '#ff00aa', '1px'] },
  ],
  [
    'python',
    '# if\ndef f(x):\n  """if\n1"""\n  return 2',
    { keyword: ['def', 'return'], number: ['2'] },
  ],
  ['bash', 'for f in "$A"; do cp $f b#c; done # all', { name: ['$f'], comment: ['# all'] }],
  ['yaml', 'on: push\njobs:\n  a-b: 3', { name: ['on', 'jobs', 'a-b'], number: ['3'] }],
  ['sql', "SELECT a FROM t -- where\nWHERE b = 'it' LIMIT 5", { string: ["'it'"], number: ['5'] }],
  ['SQL', 'select 1', { keyword: ['select'] }],
  ['rust', 'pub fn main() { let x: u8 = 3; }', { keyword: ['pub', 'fn', 'let'], name: ['main'] }],
] as const)('%s: %s', (language, code, expected) => {
  expect(tokensOf(language, code)).toMatchObject(expected)
})

test.each(['', 'text', 'log', 'diff'])('a text of the language %j has no tokens', (language) => {
  expect(lexerOf(language)).toBeNull()
})

test('tokens are ordered and disjoint, and cutting at a line keeps those before it', () => {
  const piece = fc.constantFrom(
    '/*',
    '*/',
    '//',
    '#',
    '"',
    "'",
    '`',
    '"""',
    '<!--',
    '-->',
    '\n',
    ' ',
    'if',
    'a(',
    '12',
    ':',
    '=',
    '\\',
    '<b',
    '>',
  )
  const languages = fc.constantFrom('js', 'json', 'py', 'sql', 'css', 'html', 'anything')
  fc.assert(
    fc.property(
      languages,
      fc.array(piece, { maxLength: 60 }),
      fc.nat(60),
      (language, pieces, at) => {
        const lexer = lexerOf(language)
        if (!lexer) throw new Error('No lexer.')
        const code = pieces.join('')
        const whole = lex(lexer, code)
        let end = 0
        for (const { from, to } of whole) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(to).toBeGreaterThan(from)
          end = to
        }
        const cut = code.indexOf('\n', at) + 1
        const before = lex(lexer, code.slice(0, cut))
        const last = before.at(-1)
        const from = last?.to === cut ? last.from : cut
        const kept = before.filter(({ to }) => to <= from)
        expect([...kept, ...lex(lexer, code, from)]).toEqual(whole)
      },
    ),
    { ...(SEED !== undefined && { seed: SEED }), numRuns: 2000 },
  )
})

// Quadratic time would be minutes.
test.each(['js', 'sh', 'html', 'css', 'sql'])('a very long word of %s is read once', (language) => {
  expect(tokensOf(language, `${'a'.repeat(1_000_000)}\n`)).toEqual({})
  expect(tokensOf(language, `${' '.repeat(1_000_000)}\n`)).toEqual({})
})
