import { expect, test } from 'vitest'
import { read } from './sources.ts'

const rows = [...read('test/README.md').matchAll(/^\| (F\d+) .*\| *(`.*`) *\|$/gm)].map(
  ([, row = '', files = '']) => ({
    row,
    files: [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => `test/${file}`),
  }),
)

/** Whether a test of the file is named by the row: the rows stand at the beginning of its name. */
function names(file: string, row: string): boolean {
  const beginnings = read(file).matchAll(/['"`]((?:F\d+ )+)/g)
  return [...beginnings].some(([, rowsOfTest = '']) => rowsOfTest.split(' ').includes(row))
}

test('the list of faults has every row once', () => {
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 36 }, (_, at) => `F${at + 1}`))
})

test.each(rows)('$row has a test that is named by it in each of its files', ({ row, files }) => {
  expect(files.filter((file) => !names(file, row))).toEqual([])
})
