import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { filesBelow, read, root } from './sources.ts'

const document = read('ARCHITECTURE.md')
const whereToAdd = read('docs/where-to-add.md')
const rows = whereToAdd.slice(0, whereToAdd.indexOf('\n## '))

/** The paths among the code spans of a text. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]*)+)`/g)].map(([, found]) => found ?? '')
}

test('every path in the list of where to add what exists, in src/ or in the project', () => {
  const paths = pathsIn(rows)
  expect(paths.length).toBeGreaterThan(30)
  const isThere = (file: string): boolean =>
    ['.', 'src'].some((folder) => existsSync(path.join(root, folder, file)))
  expect(paths.filter((file) => !isThere(file))).toEqual([])
})

test('every other path that is written from the top of the project exists', () => {
  const paths = pathsIn(document + whereToAdd).filter((file) =>
    /^(?:src|test|docs|scripts|demo|etc|bench)\//.test(file),
  )
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

test('the parts that the page loads when it needs them are listed, each and no other', () => {
  const loaded = filesBelow('src/client', '.ts').flatMap((file) =>
    [...read(file).matchAll(/\bimport\(\s*'[./\w-]*\/([\w-]+)\.ts'/g)].map(([, part]) => part),
  )
  const [, text = ''] = /^The page loads the client in parts: ([^]*?)\n\n/m.exec(document) ?? []
  const listed = [...text.matchAll(/`([a-z/-]+)`/g)].map(([, part]) => part)
  expect(listed.toSorted()).toEqual([...new Set(loaded)].toSorted())
})

test('the layout of the code is one page', () => {
  expect(Buffer.byteLength(document)).toBeLessThan(14 * 1024)
})
