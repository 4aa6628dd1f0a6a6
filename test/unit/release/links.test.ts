import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anchorsOf, brokenLinks, linksOf } from '../../../scripts/lib/links.mjs'
import { inProject } from '../../../scripts/lib/project.mjs'
import { run } from '../../../scripts/lib/run.mjs'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'offstage-links-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    writeFileSync(path.join(folder, file), text)
  }
}

test('every relative link and anchor in the docs has a target', async () => {
  const script = inProject('scripts/links.mjs')
  const { code, output } = await run(process.execPath, [script], { quiet: true })
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining(' 0 broken links') })
})

test('a link to a missing file or heading is found with its line', () => {
  write({
    'README.md': '# A\n\n[ok](docs/b.md#two-words) [gone](docs/c.md) ![none](none.png)\n',
    'docs/b.md':
      '## Two words\n[up](../README.md#a) [here](#two-words) [wrong](#three)\n\n[x]: d.md\n',
  })
  expect(brokenLinks(folder, ['README.md', 'docs/b.md'])).toEqual([
    'README.md:3: docs/c.md: there is no such file',
    'README.md:3: none.png: there is no such file',
    'docs/b.md:2: #three: there is no such heading',
    'docs/b.md:4: d.md: there is no such file',
  ])
})

test('a link out of the folder is broken, because the package lacks that file', () => {
  write({ 'a.md': '[out](../b.md) [absolute](/c.md)\n' })
  const problems = brokenLinks(folder, ['a.md'])
  expect(problems).toHaveLength(2)
  for (const problem of problems) expect(problem).toContain('leaves the folder')
})

test('code is not searched for links, and web addresses are not checked', () => {
  const text =
    '`[a](b.md)`\n\n```md\n[c](d.md)\n```\n<!-- [e](f.md) --> [g](https://example.com/h)\n'
  expect(linksOf(text)).toEqual([{ target: 'https://example.com/h', line: 6 }])
})

test('headings get the same ids as on GitHub', () => {
  const text =
    '# A `code`, (and) [link](x.md)\n## Same\n## Same\n```\n# no heading\n```\n### 1.2 – ü\n'
  expect(anchorsOf(text)).toEqual(['a-code-and-link', 'same', 'same-1', '12--ü'])
})
