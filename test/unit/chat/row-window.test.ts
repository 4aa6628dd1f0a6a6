import { expect, test } from 'vitest'
import { type ChatRow, RowWindow } from '../../../src/ui/chat/parts/rows.ts'

const rowsTo = (count: number): ChatRow[] =>
  Array.from({ length: count }, (_, at) => ({ type: 'day', key: `${at}`, at }))
const always = (): boolean => true
const never = (): boolean => false

function counts(window: RowWindow, rows: readonly ChatRow[], showsNewest = false): number[] {
  const { earlier, rows: drawn, later } = window.cut(rows, showsNewest)
  return [earlier, drawn.length, later]
}

test('the newest rows are drawn first, then more until scrolling is possible', () => {
  const window = new RowWindow()
  const rows = rowsTo(300)
  const [, first = 0] = counts(window, rows)
  expect(first).toBeLessThan(30)
  for (; window.isShort; counts(window, rows)) window.showEarlier(10, always)
  const [earlier, drawn = 0, later] = counts(window, rows)
  expect(drawn).toBeGreaterThanOrEqual(50)
  expect([earlier, later]).toEqual([300 - drawn, 0])
  const few = new RowWindow()
  expect(counts(few, rowsTo(3))).toEqual([0, 3, 0])
  expect(few.isShort).toBe(false)
})

test('all rows can be reached, while the number of drawn rows is limited', () => {
  const window = new RowWindow()
  const rows = rowsTo(300)
  let most = 0
  const look = (): number[] => {
    const now = counts(window, rows)
    most = Math.max(most, now[1] ?? 0)
    return now
  }
  for (let turn = 0; turn < 40; turn += 1, look()) window.showEarlier(10, always)
  expect(look()[0]).toBe(0)
  expect(look()[2]).toBeGreaterThan(100)
  for (let turn = 0; turn < 40; turn += 1, look()) window.showLater(10, always)
  expect(look()[2]).toBe(0)
  expect(most).toBeLessThan(150)
})

test('rows that are still near stay drawn', () => {
  const window = new RowWindow()
  const rows = rowsTo(300)
  counts(window, rows)
  for (let turn = 0; turn < 40; turn += 1, counts(window, rows)) window.showEarlier(10, never)
  expect(counts(window, rows)).toEqual([0, 300, 0])
})

test('new rows are drawn after the newest one, and not after others', () => {
  const window = new RowWindow()
  counts(window, rowsTo(300))
  const [, drawn = 0] = counts(window, rowsTo(300))
  expect(counts(window, rowsTo(310))[1]).toBe(drawn + 10)
  // Where that is in view, those far above it are taken away in time.
  expect(counts(window, rowsTo(500), true)[1]).toBeLessThan(100)

  for (let turn = 0; turn < 60; turn += 1, counts(window, rowsTo(500)))
    window.showEarlier(10, always)
  const [, before, later = 0] = counts(window, rowsTo(500))
  expect(counts(window, rowsTo(510))).toEqual([0, before, later + 10])
})

test('rows that wait for the person are always drawn, and a branch starts again', () => {
  const window = new RowWindow()
  const rows: ChatRow[] = [...rowsTo(299), { type: 'approvals', key: 'approvals', calls: [] }]
  counts(window, rows)
  for (let turn = 0; turn < 40; turn += 1, counts(window, rows)) window.showEarlier(10, always)
  expect(window.cut(rows, false).waiting.map(({ key }) => key)).toEqual(['approvals'])
  const other = rowsTo(200).map((row) => ({ ...row, key: `b${row.key}` }))
  expect(counts(window, other)[2]).toBe(0)
})

test('after older rows arrive, as many rows as before are drawn', () => {
  const window = new RowWindow()
  const newest = rowsTo(300).slice(250)
  counts(window, newest)
  for (; window.isShort; counts(window, newest)) window.showEarlier(10, always)
  expect(counts(window, newest)).toEqual([0, 50, 0])
  const all = rowsTo(300).map((row, at) => (at === 250 ? { ...row, key: 'no day' } : row))
  expect(counts(window, all)).toEqual([250, 50, 0])
  window.reset()
  expect(counts(window, all)[1]).toBeLessThan(30)
})

test('after older rows arrive, a person who has scrolled up stays there', () => {
  const window = new RowWindow()
  const all = rowsTo(500)
  const loaded: ChatRow[] = [{ type: 'day', key: 'day', at: 0 }, ...all.slice(200)]
  counts(window, loaded)
  for (let turn = 0; turn < 60; turn += 1, counts(window, loaded)) window.showEarlier(10, always)
  const [earlier, drawn = 0, later] = counts(window, loaded)
  expect(earlier).toBe(0)
  expect(later).toBeGreaterThan(100)
  // The day stands above the first loaded message, and moves up with the older ones.
  expect(counts(window, all)).toEqual([500 - drawn - (later ?? 0), drawn, later])
})

test('a long branch that replaces a short one is drawn in part', () => {
  const window = new RowWindow()
  counts(window, rowsTo(4))
  expect(counts(window, rowsTo(1000))).toEqual([0, 120, 880])
})
