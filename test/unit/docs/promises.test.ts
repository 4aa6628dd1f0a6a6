import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  hasTitle,
  headingsOf,
  readLedger,
  tableRows,
  touchedBy,
  withNewTitles,
} from '../../../scripts/lib/promises.mjs'
import { filesBelow, read, root } from './sources.ts'

const { promises, tables, purposes } = readLedger()
const pages = [...filesBelow('docs', '.md'), 'README.md', 'test/README.md']
const rowsOf = new Map(pages.map((page) => [page, tableRows(read(page))]))
const exists = (file: string): boolean => existsSync(path.join(root, file))

function twice(values: readonly string[]): string[] {
  return values.filter((value, at) => values.indexOf(value) !== at)
}

describe('the ledger of promises', () => {
  it('has each id and each promise once, in one short sentence', () => {
    expect(twice(promises.map(({ id }) => id))).toEqual([])
    expect(twice(promises.map(({ promise }) => promise))).toEqual([])
    const long = promises.filter(({ promise }) => promise.split(/\s+/).length > 20)
    expect(long.map(({ id }) => id)).toEqual([])
  })

  it('names sections that the documents have', () => {
    const stated = promises.map(({ document, heading }) => `${document} # ${heading}`)
    const sections = pages.flatMap((page) => headingsOf(read(page)).map((h) => `${page} # ${h}`))
    expect(stated.filter((section) => !sections.includes(section))).toEqual([])
  })

  it('names tests that exist', () => {
    const files = [...new Set(promises.flatMap(({ tests }) => tests.map(({ file }) => file)))]
    expect(files.filter((file) => !exists(file))).toEqual([])
    const sources = new Map(files.map((file) => [file, read(file)]))
    const gone = promises.flatMap(({ id, tests }) =>
      tests
        .filter(({ file, title }) => !hasTitle(sources.get(file) ?? '', title))
        .map(({ file, title }) => `${id}: ${file}: ${title}`),
    )
    expect(gone).toEqual([])
  })

  it('has a test for each promise', () => {
    expect(promises.filter(({ tests }) => tests.length === 0).map(({ id }) => id)).toEqual([])
  })

  it('names the tests of a fault by its row', () => {
    const faults = promises.filter(({ id }) => /^F\d+$/.test(id))
    const wrong = faults.flatMap(({ id, tests }) =>
      tests.filter(({ title }) => !/^(?:F\d+ )+/.exec(title)?.[0].split(' ').includes(id)),
    )
    expect(wrong).toEqual([])
    expect(faults).toHaveLength(36)
  })

  it('has a promise for every row of a table, unless the table promises nothing', () => {
    const none = (page: string, heading: string): boolean => tables[page]?.[heading] !== undefined
    const rows = pages.flatMap((page) =>
      (rowsOf.get(page) ?? []).flatMap((row) =>
        none(page, row.heading) ? [] : [{ page, ...row }],
      ),
    )
    const without = rows.filter(({ page, heading, head, cell }) => {
      const here = promises.filter((one) => one.document === page && one.heading === heading)
      return !here.some((one) => one.rows === head || (one.row && cell.startsWith(one.row)))
    })
    expect(without.map(({ page, heading, cell }) => `${page} # ${heading}: ${cell}`)).toEqual([])
  })

  it('names rows that the tables have', () => {
    const wrong = promises.filter(({ document, heading, row, rows }) => {
      const here = (rowsOf.get(document) ?? []).filter((one) => one.heading === heading)
      if (row !== undefined) return here.filter(({ cell }) => cell.startsWith(row)).length === 0
      return rows !== undefined && !here.some(({ head }) => head === rows)
    })
    expect(wrong.map(({ id }) => id)).toEqual([])
    const stated = promises.flatMap(({ document, heading, row }) =>
      row === undefined ? [] : [`${document} # ${heading}: ${row}`],
    )
    expect(twice(stated)).toEqual([])
  })

  it('names every test file or its purpose', () => {
    const files = ['test/unit', 'test/browser'].flatMap((folder) =>
      filesBelow(folder, '.ts').filter((file) => /\.(?:test|spec)\.ts$/.test(file)),
    )
    const named = new Set(promises.flatMap(({ tests }) => tests.map(({ file }) => file)))
    const places = Object.keys(purposes).map((place) => `test/${place}`)
    const purposeless = files.filter((file) => !named.has(file) && !places.includes(file))
    expect(purposeless).toEqual([])
    expect(places.filter((place) => !exists(place))).toEqual([])
  })
})

describe('a change of test files', () => {
  const before = `test('same', () => { a() })
    test('changed', () => { b() })
    test('gone', () => {})
    test('old', () => { d() })
    test('moved', () => { e() })`
  const after = `test('same', () => { a() })
    test('changed', () => { c() })
    test('new: a title', () => { d() })`
  const changes = [
    { file: 'test/a.test.ts', before, after },
    { file: 'test/b.test.ts', before: null, after: `test('moved', () => { e() })` },
  ]
  const yaml = `promises:
  a.md:
    A:
      x-1:
        promise: It holds.
        tests:
          a.test.ts:
            - same
            - changed
            - gone
            - old
            - moved
`
  const ledger = readLedger(yaml).promises
  const touched = touchedBy(ledger, changes)

  it('shows the promises that it touches', () => {
    expect(touched.map(({ title, change }) => [title, change])).toEqual([
      ['changed', 'changed'],
      ['gone', 'gone'],
      ['old', 'renamed'],
      ['moved', 'moved to test/b.test.ts'],
    ])
  })

  it('receives the new titles of renamed tests', () => {
    expect(withNewTitles(yaml, ledger, touched)).toBe(yaml.replace('- old', "- 'new: a title'"))
  })
})
