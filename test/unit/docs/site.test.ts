import { expect, test } from 'vitest'
import { siteMarkdown } from '../../../site/lib/markdown.mjs'
import { listedPages } from '../../../site/pages.mjs'
import { filesBelow } from './sources.ts'

const BESIDE_README = 'ARCHITECTURE CHANGELOG CODE_OF_CONDUCT CONTRIBUTING SECURITY'
const pages = new Set(['docs/tools.md', 'docs/providers/keys.md', 'CHANGELOG.md'])
const repository = 'https://git.example/offstage'

function shown(text: string, file = 'docs/tools.md', address: string | null = repository): string {
  return siteMarkdown(text, { file, pages, repository: address })
}

test('the sidebar of the site lists each document once', () => {
  const documents = [
    ...filesBelow('docs', '.md'),
    ...BESIDE_README.split(' ').map((name) => `${name}.md`),
  ]
  expect(listedPages.toSorted()).toEqual(documents.toSorted())
})

test('a page of the site has no comments, unless code shows them', () => {
  expect(shown('A\n\n<!-- snippet\ndeclare const a: 1\n-->\n\nB')).toBe('A\n\nB')
  const code = '```html\n<!-- kept -->\n```\n\n`<!-- kept -->`'
  expect(shown(code)).toBe(code)
})

test('a fence names only its language', () => {
  expect(shown('```ts runnable\na()\n```')).toBe('```ts\na()\n```')
})

test('links lead to pages of the site, or else to the repository', () => {
  const kept = '[a](providers/keys.md#relay) [b](../CHANGELOG.md) [c](#d) [e](https://e.example/)'
  expect(shown(kept)).toBe(kept)
  expect(shown('[`x`](../src/x.ts#L1)')).toBe(
    '[`x`](https://git.example/offstage/blob/HEAD/src/x.ts#L1)',
  )
  expect(shown('[home](../README.md)')).toBe('[home](../index.md)')
  expect(shown('`[a](../src/x.ts)`')).toBe('`[a](../src/x.ts)`')
})

test('a link to the repository is text while the repository has no address', () => {
  expect(shown('[the `LICENSE`](LICENSE)', 'README.md', null)).toBe('the `LICENSE`')
})
