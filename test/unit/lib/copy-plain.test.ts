import { expect, it } from 'vitest'
import { copyPlain } from '../../../src/lib/json/copy-plain.ts'

it('a copy does not change when the original changes, at any depth', () => {
  const value = { amount: 1, lines: [{ name: 'mug' }] }
  const copy = copyPlain(value)
  value.amount = 2
  value.lines[0] = { name: 'car' }
  expect(copy).toEqual({ amount: 1, lines: [{ name: 'mug' }] })
})

it('a proxy is read once, and the copy keeps the value', () => {
  let reads = 0
  const value = new Proxy({ amount: 0 }, { get: () => ++reads })
  const copy = copyPlain(value)
  expect([copy.amount, copy.amount]).toEqual([1, 1])
})

it('values that are not plain data are kept as they are', () => {
  class Price {
    readonly amount = 1
  }
  const [file, date, price] = [new Blob(['x']), new Date(), new Price()]
  const copy = copyPlain({ file, list: [date], price })
  expect(copy.file).toBe(file)
  expect(copy.list[0]).toBe(date)
  expect(copy.price).toBe(price)
  for (const value of [null, undefined, 'text', 3n, Number.NaN])
    expect(copyPlain(value)).toBe(value)
})

it('special property names and circular references are kept', () => {
  const value = JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as object
  expect(JSON.stringify(copyPlain(value))).toBe(JSON.stringify(value))
  const round: { self?: unknown } = {}
  round.self = round
  const copy = copyPlain(round)
  expect(copy.self).toBe(copy)
  expect(copy).not.toBe(round)
})
