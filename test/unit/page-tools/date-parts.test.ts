import { describe, expect, it } from 'vitest'
import { planParts, readDateParts } from '../../../src/page-tools/act/text/type-characters.ts'

describe('readDateParts', () => {
  it('reads a date, a time, or both', () => {
    expect(readDateParts('2026-03-09')).toEqual({ year: 2026, month: 3, day: 9 })
    expect(readDateParts(' 14:30 ')).toEqual({ hour: 14, minute: 30 })
    expect(readDateParts('2026-03-09T14:30:05')).toEqual({
      year: 2026,
      month: 3,
      day: 9,
      hour: 14,
      minute: 30,
      second: 5,
    })
  })

  it('reads AM and PM', () => {
    expect(readDateParts('2:30 PM')).toEqual({ hour: 14, minute: 30 })
    expect(readDateParts('12:05 a.m.')).toEqual({ hour: 0, minute: 5 })
    expect(readDateParts('12:05pm')).toEqual({ hour: 12, minute: 5 })
  })

  it('reads no other format', () => {
    for (const text of ['', '03/09/2026', 'tomorrow', '2026-03', '20260309'])
      expect(readDateParts(text)).toBeNull()
  })
})

describe('a date field with parts', () => {
  /** Elements reduced to the attribute that planning reads. */
  const parts = (...highest: number[]) =>
    highest.map((max) => ({ ariaValueMax: String(max) }) as HTMLElement)
  const texts = (highest: number[], text: string) =>
    planParts(parts(...highest), readDateParts(text) ?? {})?.map((plan) => plan.text) ?? null

  it('gets each value in its part, in any order', () => {
    expect(texts([12, 31, 9999], '2026-03-09')).toEqual(['03', '09', '2026'])
    expect(texts([31, 12, 9999], '2026-03-09')).toEqual(['09', '03', '2026'])
    expect(texts([9999, 12, 28], '2026-02-09')).toEqual(['2026', '02', '09'])
  })

  it('distinguishes hours from months by the minutes after them', () => {
    expect(texts([12, 59, 1], '14:30')).toEqual(['02', '30', 'P'])
    expect(texts([12, 59, 1], '00:05')).toEqual(['12', '05', 'A'])
    expect(texts([23, 59, 59], '14:30:05')).toEqual(['14', '30', '05'])
    expect(texts([12, 31, 9999, 12, 59, 1], '2026-03-09T14:30')).toEqual([
      '03',
      '09',
      '2026',
      '02',
      '30',
      'P',
    ])
  })

  it('is left alone when a part is missing', () => {
    expect(texts([12, 31], '2026-03-09')).toBeNull()
    expect(texts([12, 31, 9999], '14:30')).toBeNull()
  })
})
