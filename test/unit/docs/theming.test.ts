import { expect, test } from 'vitest'
import { filesBelow, read } from './sources.ts'

const themes = filesBelow('src/ui/chat/themes', '.css')
const SOURCES = [
  'src/ui/shared/tokens.ts',
  ...filesBelow('src/ui/chat/styles', '.ts'),
  'src/ui/chat/markdown/code-colors.ts',
]
const KINDS = ['comment', 'keyword', 'name', 'string', 'number']

/** Names of the variables that the element reads, with their defaults. */
const defaults = new Map(
  SOURCES.flatMap((file) =>
    [...read(file).matchAll(/var\(--offstage-([a-z-]+),\s*(.+)\)/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    ),
  ),
)
const codeColors = [...read('src/ui/chat/markdown/code-colors.ts').matchAll(/'(#\w+),(#\w+)'/g)]
for (const [at, kind] of KINDS.entries())
  defaults.set(`code-${kind}`, `light-dark(${codeColors[at]?.[1]}, ${codeColors[at]?.[2]})`)

test('the table of variables lists those that the chat reads, each once', () => {
  const documented = [...read('docs/theming.md').matchAll(/^\| `--offstage-([a-z-]+)`/gm)].map(
    ([, name]) => name,
  )
  expect(defaults.size).toBeGreaterThan(20)
  expect(documented.toSorted()).toEqual([...defaults.keys()].toSorted())
})

test('the table of themes lists the files that the package exports', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> }
  const exported = Object.keys(exports).flatMap(
    (entry) => /^\.\/themes\/(.+)\.css$/.exec(entry)?.[1] ?? [],
  )
  const documented = [...read('docs/theming.md').matchAll(/^\| `([a-z]+)`/gm)].map(
    ([, name]) => name,
  )
  expect(themes.map((file) => /(\w+)\.css$/.exec(file)?.[1]).toSorted()).toEqual(
    exported.toSorted(),
  )
  expect(documented.toSorted()).toEqual(exported.toSorted())
})

const ON_GROUND = ['text', 'muted', 'accent', 'problem', 'waiting', 'done']
const ON_CODE = ['text', 'muted', ...KINDS.map((kind) => `code-${kind}`)]
const PAIRS = [
  ...ON_GROUND.map((name) => [name, 'ground'] as const),
  ...ON_CODE.map((name) => [name, 'code-ground'] as const),
  ...['text', 'muted'].map((name) => [name, 'raised'] as const),
  ['text', 'own'],
  ['on-accent', 'accent'],
] as const

test.each(['', ...themes])('texts of the theme %j have a contrast of 4.5 or more', (file) => {
  const own = [...(file ? read(file) : '').matchAll(/--offstage-([a-z-]+): ([^;]+);/g)]
  const variables = new Map(defaults)
  for (const [, name = '', value = ''] of own) {
    expect([...defaults.keys()]).toContain(name)
    variables.set(name, value)
  }
  for (const side of [0, 1])
    for (const [text, ground] of PAIRS) {
      const [over, under] = [text, ground].map((name) => colorOf(variables.get(name) ?? '', side))
      expect(
        contrast(over ?? '', under ?? ''),
        `${text} on ${ground}, ${side}`,
      ).toBeGreaterThanOrEqual(4.5)
    }
})

/** `side`: 0 is light, 1 dark. */
function colorOf(value: string, side: number): string {
  const colors = /^light-dark\((#\w{6}), (#\w{6})\)$/.exec(value)
  if (!colors) throw new Error(`${value} has no two sides.`)
  return colors[side + 1] ?? ''
}

/** By WCAG 2. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other].map(luminance).toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
