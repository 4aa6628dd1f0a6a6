import { existsSync, readdirSync } from 'node:fs'
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

test('a row of the table names at most four source files, a test and a page', () => {
  const cells = rows
    .split('\n')
    .filter((line) => /^\| \w/.test(line))
    .slice(1)
    .map((line) => line.split('|').slice(2, -1).map(pathsIn))
  expect(cells).toHaveLength(10)
  for (const [source = [], tests = [], pages = []] of cells) {
    expect(source.length).toBeGreaterThan(0)
    expect(source.length).toBeLessThanOrEqual(4)
    expect(source.filter((file) => !existsSync(path.join(root, 'src', file)))).toEqual([])
    expect(tests).toEqual([expect.stringMatching(/^test\//)])
    expect(pages).toEqual([expect.stringMatching(/^docs\//)])
  }
})

test('the tree lists exactly the folders of src/, the client and the worker', () => {
  const [, tree = ''] = /^## Folders\n\n```\nsrc\/\n([^]*?)^\w/m.exec(document) ?? []
  const foldersIn = (text: string, indent: number): string[] => {
    const line = new RegExp(`^ {${indent}}((?:[\\w-]+/ ?)+)`, 'gm')
    return [...text.matchAll(line)].flatMap(([, names = '']) => names.trim().split(' '))
  }
  const foldersOf = (folder: string): string[] =>
    readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${name}/`)
  expect(foldersIn(tree, 2).toSorted()).toEqual(foldersOf('src').toSorted())
  for (const room of ['client', 'worker']) {
    const [, inside = ''] = new RegExp(`^ {2}${room}/.*\\n((?: {4}.*\\n)+)`, 'm').exec(tree) ?? []
    expect(foldersIn(inside, 4).toSorted()).toEqual(foldersOf(`src/${room}`).toSorted())
  }
})

test('the paths through the code name existing files, and few of them', () => {
  const [, section = ''] = /^## Four paths\n([^]*?)^## /m.exec(document) ?? []
  const files = section
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map(pathsIn)
  expect(files.flat().filter((file) => !existsSync(path.join(root, 'src', file)))).toEqual([])
  const most = [16, 13, 14, 11]
  expect(files).toHaveLength(most.length)
  for (const [at, { length }] of files.entries()) {
    expect(length).toBeGreaterThan(1)
    expect(length).toBeLessThanOrEqual(most[at] ?? 0)
  }
})

test('every other path from the root of the project exists', () => {
  const paths = pathsIn(document + whereToAdd).filter((file) =>
    /^(?:src|test|docs|scripts|demo|etc|bench)\//.test(file),
  )
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

test('the parts that the page loads on demand are listed, each and no other', () => {
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
