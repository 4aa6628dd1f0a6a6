import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseDocument } from 'yaml'
import { readFrontMatter, type FrontValue } from '../../../src/skills/front-matter.ts'
import { someOf } from '../more.ts'
import { anyCharacter } from '../any-character.ts'

const read = (front: string) => readFrontMatter(`---\n${front}\n---\nBody`)

const valuesOf = (front: string) => {
  const { values, diagnostics } = read(front)
  expect(diagnostics).toEqual([])
  return Object.fromEntries(values)
}

describe('a front matter', () => {
  test.each<[front: string, values: { readonly [key: string]: FrontValue }]>([
    ['name: pdf', { name: 'pdf' }],
    ['name:   pdf  # what it is', { name: 'pdf' }],
    ['# A comment\n\nname: pdf\n', { name: 'pdf' }],
    ['description: Use when: a PDF is there', { description: 'Use when: a PDF is there' }],
    [
      'description: see https://a.example:80/#top',
      { description: 'see https://a.example:80/#top' },
    ],
    ["description: 'It''s #1: good'", { description: "It's #1: good" }],
    ['description: "a\\n\\"b\\" \\u00e9 \\x41"', { description: 'a\n"b" é A' }],
    ['description: one\n  two\n\n  three', { description: 'one two\nthree' }],
    ['description:\n  one\n  two', { description: 'one two' }],
    ['description: |\n  one\n\n   two\n  three\n\n', { description: 'one\n\n two\nthree\n' }],
    [
      'description: >-\n  one\n  two\n\n  three\n    four\n  five',
      { description: 'one two\nthree\n  four\nfive' },
    ],
    ['description: >+\n  one\n\n\nname: x', { description: 'one\n\n\n', name: 'x' }],
    ['description: |2-\n   one\n  two', { description: ' one\ntwo' }],
    [
      'metadata:\n  author: me\n  version: "1.0"\n  when: a: b',
      { metadata: { author: 'me', version: '1.0', when: 'a: b' } },
    ],
    ['allowed-tools: Bash(git:*) Read', { 'allowed-tools': 'Bash(git:*) Read' }],
    ['allowed-tools:\n  - Bash(git:*)\n  - "Read"', { 'allowed-tools': ['Bash(git:*)', 'Read'] }],
    ['allowed-tools:\n- Read\n- Write\nname: x', { 'allowed-tools': ['Read', 'Write'], name: 'x' }],
    [
      "allowed-tools: [Read, 'a, b', Bash(git:*)]",
      { 'allowed-tools': ['Read', 'a, b', 'Bash(git:*)'] },
    ],
    ['allowed-tools: []', { 'allowed-tools': [] }],
    ['license:\nname: x', { license: '', name: 'x' }],
    ['a: true\nb: 1.0\nc: null\nd: ~', { a: 'true', b: '1.0', c: 'null', d: '~' }],
  ])('reads %j', (front, values) => {
    expect(valuesOf(front)).toEqual(values)
  })

  test.each([
    ['name: &a pdf', 'The field name was left out'],
    ['name: *a', 'unless it is in quotes'],
    ['name: !!str x', 'unless it is in quotes'],
    ['name: { a: b }', 'unless it is in quotes'],
    ['name: "open', 'not closed on its line'],
    ['name: "a" b', 'too much'],
    ['name: "\\q"', 'unknown escape'],
    ['name: x\nname: y', 'twice'],
    ['metadata:\n  a:\n    b: c', 'no text'],
    ['metadata:\n  a: b\n   c: d', ''],
    ['tools:\n  - a: b', 'is a map'],
    ['tools:\n  - - a', "can't begin with -"],
    ['tools: [a, [b]]', 'list in brackets'],
    ['tools: [a', 'does not end'],
    ['  name: x', 'no field'],
    ['? name\n: x', 'no field'],
    ['name', 'no field'],
    ['description: |x\n  a', 'begins no block'],
    ['description: |\n   a\n  b', 'not indented alike'],
    ['description: a # b\n  c', 'comment'],
    ['description: a\n\tb', 'no field'],
  ])('reports what it leaves out of %j', (front, words) => {
    const { diagnostics } = read(front)
    if (words === '') return
    expect(diagnostics.map(({ message }) => message).join('\n')).toContain(words)
  })

  it('continues after a field that it leaves out, and reports its line', () => {
    const { values, diagnostics } = read('name: x\nhooks:\n  - on: y\n    do: z\nlicense: MIT')
    expect(Object.fromEntries(values)).toEqual({ name: 'x', license: 'MIT' })
    expect(diagnostics).toMatchObject([{ line: 3 }])
  })

  test.each(['\n', '\r\n', '\r'])('may have line ends %j and begin with a BOM', (end) => {
    const text = '\uFEFF---\nname: x\ndescription: >\n  a\n  b\n---\n\n# Body\n'.replaceAll(
      '\n',
      end,
    )
    expect(readFrontMatter(text)).toMatchObject({
      values: new Map([
        ['name', 'x'],
        ['description', 'a b\n'],
      ]),
      body: '\n# Body\n',
      diagnostics: [],
    })
  })

  test.each(['', 'Hello', '---\nname: x', 'Hi\n---\nname: x\n---\n', '--- \nname: x\n ---\n'])(
    'counts as missing in %j',
    (text) => {
      const { values, diagnostics } = readFrontMatter(text)
      expect([values.size, diagnostics.length]).toEqual([0, 1])
    },
  )

  it('treats names like __proto__ as plain fields', () => {
    const { values } = read(
      '__proto__: a\nconstructor: b\nmetadata:\n  __proto__: c\n  toString: d',
    )
    expect([...values.keys()]).toEqual(['__proto__', 'constructor', 'metadata'])
    const metadata = values.get('metadata') as object
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype)
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'c'],
      ['toString', 'd'],
    ])
  })
})

/** Pieces that such files, and those who would break them, are made of. */
const pieces = fc.constantFrom(
  'name',
  'description',
  'metadata',
  'allowed-tools',
  'a',
  'b',
  'x y',
  'true',
  '1.0',
  'é',
  '😀',

  ': ',
  ':',
  ':\n',
  '\n',
  '\n\n',
  '\n  ',
  '\n ',
  '\n    ',
  ' ',
  '  ',
  '\t',
  '\r\n',
  '\n- ',
  '\n  - ',

  '- ',
  '"',
  "'",
  "''",
  '\\',
  '\\n',
  '\\"',
  '|',
  '>',
  '|-',
  '>+',
  '|2',
  '>-\n  ',
  '|\n  ',
  '#',
  ' # ',

  '[',
  ']',
  ', ',
  '{',
  '}',
  '&',
  '*',
  '!',
  '%',
  '@',
  '`',
  '?',
  '~',
  '---',
  '...',
  '\u00a0',
  '\u0085',
)

const wild = fc.array(pieces, { maxLength: 25 }).map((all) => all.join(''))

const key = fc.constantFrom(
  'name',
  'description',
  'license',
  'metadata',
  'allowed-tools',
  'x.y',
  'z',
)
const words = fc
  .array(
    fc.constantFrom(
      'a',
      'bc',
      ':',
      'd:',
      '#',
      'e#',
      '-',
      '"',
      "'",
      '[',
      ']',
      ',',
      '{',
      '>',
      '|',
      '\\',
      '  ',
    ),
    { maxLength: 6 },
  )
  .map((all) => all.join(' '))
const lineOf = (indent: fc.Arbitrary<string>) =>
  fc.tuple(indent, words).map(([pad, text]) => pad + text)
const deep = lineOf(
  fc.constantFrom('  ', '   ', ' ', '    ', '', '  - ', ' - ', '  k: ', '  l: ', '- '),
)
const field = fc
  .tuple(
    key,
    fc.oneof(
      words,
      fc.constantFrom(
        '|',
        '>',
        '|-',
        '>-',
        '|+',
        '>+',
        '|1',
        '>2-',
        '',
        '',
        "''",
        '[]',
        '[a, "b"]',
      ),
    ),
    fc.array(deep, { maxLength: 4 }),
  )
  .map(([name, first, more]) => [`${name}: ${first}`, ...more].join('\n'))
const likely = fc.array(field, { minLength: 1, maxLength: 4 }).map((all) => all.join('\n'))

/** Fields that the package `yaml` reads, with all scalars as text. Null if it refuses the document. */
function reference(front: string): unknown {
  const document = parseDocument(`${front}\n`, {
    schema: 'failsafe',
    logLevel: 'silent',
    prettyErrors: false,
  })
  if (document.errors.length > 0) return null
  try {
    return plain(document.toJS())
  } catch {
    // An alias of nothing.
    return null
  }
}

/** A value that is left out is an empty text here. */
function plain(value: unknown): unknown {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}

describe('compared with the package yaml, a front matter', () => {
  const runs = { numRuns: Number(process.env['FUZZ_RUNS'] ?? someOf(3000)) }
  test.each([
    ['of likely fields', likely],
    ['of anything', wild],
  ])('%s is read alike, or refused', (_, fronts) => {
    let compared = 0
    fc.assert(
      fc.property(fronts, (front) => {
        // The line that ends it.
        fc.pre(!/(^|[\r\n])---[ \t]*([\r\n]|$)/.test(front))
        const { values, diagnostics } = read(front)
        const meant = reference(front.replaceAll(/\r\n?/g, '\n'))
        if (diagnostics.length > 0 || meant === null) return
        compared++
        expect(Object.fromEntries(values)).toEqual(meant === '' ? {} : meant)
      }),
      runs,
    )
    // Else nothing would have been tried.
    expect(compared).toBeGreaterThan(runs.numRuns / 100)
  })

  it('refused by yaml is accepted only because of its colons', () => {
    fc.assert(
      fc.property(likely, (front) => {
        fc.pre(!/(^|[\r\n])---[ \t]*([\r\n]|$)/.test(front))
        const { diagnostics } = read(front)
        if (diagnostics.length > 0 || reference(front) !== null) return
        expect(
          front.split('\n').some((line) => /:[ \t].*:([ \t]|$)|^ .*:([ \t]|$)/.test(line)),
        ).toBe(true)
      }),
      runs,
    )
  })

  it('never throws, and takes time proportional to its length', () => {
    fc.assert(
      fc.property(fc.oneof(wild, fc.string({ unit: anyCharacter })), (text) => {
        const { body } = readFrontMatter(text)
        expect(typeof body).toBe('string')
      }),
      runs,
    )
    for (const piece of ['a: b: ', '"', "'", '\\', ' ', '[', '- ', '`', 'a\n  ', '>\n ', '#'])
      readFrontMatter(`---\nname: ${piece.repeat(50_000)}\n---\n`)
  })
})
