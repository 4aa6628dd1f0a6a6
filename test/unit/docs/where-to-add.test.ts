import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from './sources.ts'

const document = read('ARCHITECTURE.md')
const table = /^## Where to add what\n([^]*?)(?=^## )/m.exec(document)?.[1] ?? ''

/** The paths among the code spans of a text. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([\w.@-]+(?:\/[\w.@-]*)+)`/g)].map(([, found]) => found ?? '')
}

test('every path in the table of where to add what exists, in src/ or in the project', () => {
  const paths = pathsIn(table)
  expect(paths.length).toBeGreaterThan(30)
  const isThere = (file: string): boolean =>
    ['.', 'src'].some((folder) => existsSync(path.join(root, folder, file)))
  expect(paths.filter((file) => !isThere(file))).toEqual([])
})

test('every other path that is written from the top of the project exists', () => {
  const paths = pathsIn(document).filter((file) =>
    /^(?:src|test|docs|scripts|demo|etc|bench)\//.test(file),
  )
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})
