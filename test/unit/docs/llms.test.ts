import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import { brokenLinks, linksOf } from '../../../scripts/lib/links.mjs'
import { DESCRIPTIONS, LLMS_FILES, llmsFullTxt, llmsTxt } from '../../../scripts/lib/llms.mjs'
import { filesBelow, read, root } from './sources.ts'

const pages = filesBelow('docs', '.md')
const skill = read('SKILL.md')
const list = llmsTxt('docs/')
const guides = llmsFullTxt()

function tokensIn(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() })
}

/** Code blocks of a Markdown text. */
function codeOf(text: string): string {
  return [...text.matchAll(/^```\w[^\n]*\n([^]*?)^```$/gm)].map(([, code]) => code).join('\n')
}

/** Names that each entry exports, by the API report. */
const exported = new Map(
  read('etc/api/offstage.api.md')
    .split(/^## /m)
    .map((section) => {
      const [entry = ''] = section.split('\n')
      const names = [...section.matchAll(/^(?:type )?(?:\w+ as )?(\w+)$/gm)].map(([, name]) => name)
      return [entry, new Set(names)] as const
    }),
)

describe('llms.txt', () => {
  it('has the form of llmstxt.org: a title, a quote, sections with described links', () => {
    const [before = '', ...sections] = list.split(/^## /m)
    expect(before).toMatch(/^# Offstage\n\n> \S.*\n\n\S/)
    const lines = sections.flatMap((section) => section.trim().split('\n').slice(2))
    expect(lines.filter((line) => !/^- \[.+\]\(\S+\): \S.{15,}\.$/.test(line))).toEqual([])
    expect(sections.at(-1)).toMatch(/^Optional\n/)
  })

  it('names every page once', () => {
    const named = linksOf(list).map(({ target }) => target)
    expect(named.toSorted()).toEqual(pages.toSorted())
  })

  it('has links below a given address', () => {
    const links = linksOf(llmsTxt('https://example.org/guide/')).map(({ target }) => target)
    expect(links).toContain('https://example.org/guide/providers/ollama.md')
  })

  it('describes pages that exist', () => {
    const described = Object.keys(DESCRIPTIONS).map((page) => `docs/${page}.md`)
    expect(described.filter((page) => !pages.includes(page))).toEqual([])
  })
})

describe('llms-full.txt', () => {
  const included = [...guides.matchAll(/^Source: (\S+)$/gm)].map(([, page = '']) => page)
  const [before = ''] = guides.split('\n---\n')

  it('fits into 60 000 tokens', () => {
    expect(tokensIn(guides)).toBeLessThanOrEqual(60_000)
  })

  it('has each page, or names it as left out', () => {
    const omitted = before.match(/docs\/[\w/-]+\.md/g) ?? []
    expect([...included, ...omitted].toSorted()).toEqual(pages.toSorted())
    expect(omitted).toContain('docs/action-spec.md')
    for (const page of included) expect(guides).toContain(`\n${/^# .+/m.exec(read(page))?.[0]}\n`)
  })

  it('has links that lead from the folder of the package', () => {
    const targets = linksOf(guides)
      .map(({ target }) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
    expect(targets.length).toBeGreaterThan(100)
    expect(
      targets.filter((target) => !existsSync(path.join(root, target.replace(/#.*/, '')))),
    ).toEqual([])
  })

  it('has no comments and pictures', () => {
    expect(guides).not.toMatch(/<!-- snippet|^!\[/m)
  })
})

describe('SKILL.md', () => {
  const [, frontMatter = '', body = ''] = /^---\n([^]*?)\n---\n([^]*)$/.exec(skill) ?? []

  it('fits into 2500 tokens', () => {
    expect(tokensIn(skill)).toBeLessThanOrEqual(2500)
  })

  it('has valid front matter', () => {
    const { name, description, ...others } = parse(frontMatter) as Record<string, string>
    expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/)
    expect(description).toMatch(/^.{1,1024}$/)
    expect(others).toEqual({})
  })

  it('names pages that exist, and has no broken links', () => {
    const named = [...body.matchAll(/`([\w/-]+\.md)`/g)].map(([, page]) => `docs/${page}`)
    expect(named.length).toBeGreaterThan(10)
    expect(named.filter((page) => !pages.includes(page))).toEqual([])
    expect(brokenLinks(root, ['SKILL.md', 'docs/coding-agents.md'])).toEqual([])
  })

  it('uses only names that the package exports', () => {
    const code = codeOf(body)
    const imports = [...code.matchAll(/import (?:\{([^}]+)\} from )?'(offstage[^']*)'/g)]
    const used = imports.flatMap(([, names = '', entry = '']) =>
      names.split(',').map((name) => ({ entry, name: name.replace('type ', '').trim() })),
    )
    for (const [, name = ''] of code.matchAll(/\bOffstage\.(\w+)/g))
      used.push({ entry: 'offstage', name })
    expect(used.length).toBeGreaterThan(10)
    const unknown = used.filter(({ entry, name }) => {
      const names = exported.get(entry)
      return !names || (name !== '' && !names.has(name))
    })
    expect(unknown).toEqual([])
  })

  it('shows each way to use the package', () => {
    const entries = ['', '/chat', '/react', '/vue', '/svelte', '/page-tools', '/relay', '/testing']
    expect(entries.filter((entry) => !skill.includes(`'offstage${entry}'`))).toEqual([])
  })
})

test('the package contains the files for coding agents', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  expect(files).toEqual(expect.arrayContaining(['SKILL.md', ...LLMS_FILES]))
})
