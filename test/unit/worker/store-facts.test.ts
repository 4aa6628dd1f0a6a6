import { describe, expect, it, test } from 'vitest'
import type { FactType } from '../../../src/protocol/fact.ts'
import { findProblem } from '../../../src/worker/store/check-row.ts'
import { placesIn, samples, valueAt, withValue } from './fact-samples.ts'

const isSoundRow = (row: unknown): boolean => findProblem(row) === null

/** Fields that a fact may do without. */
const OPTIONAL: { readonly [Type in FactType]?: readonly string[] } = {
  'approval-requested': ['about'],
  'model-output': ['rawFinishReason', 'feedback', 'form', 'reminder'],
  'run-ended': ['next'],
  'message-amended': ['appended', 'rewritten'],
  'step-started': ['limit'],
  'call-proposed': ['title'],
  'approval-answered': ['reason', 'input'],
  'question-asked': ['options', 'fields', 'sensitive'],
  'question-answered': ['values', 'action'],
  'call-started': ['input'],
  'call-suspended': ['until'],
  'call-settled': ['note'],
  'undo-settled': ['message'],
  'skill-activated': ['restrictTools', 'files', 'loaded', 'path'],
  'context-tainted': ['path'],
  'consent-given': ['until'],
}

const OF_MODELS: ReadonlySet<string> = new Set(['model-output', 'step-cut'])
const LONG = 'x'.repeat(33_554_433)
const DEEP = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`) as unknown

describe.each(Object.entries(samples))('a row of the fact %s', (type, fields) => {
  const row: Record<string, unknown> = { type, runId: 'r', at: 1, ...fields }

  it('is valid, and invalid without any required field', () => {
    expect(isSoundRow(row)).toBe(true)
    const optional = OPTIONAL[type as FactType] ?? []
    for (const name of Object.keys(row)) {
      const { [name]: _left, ...rest } = row
      expect([name, isSoundRow(rest)]).toEqual([name, optional.includes(name)])
    }
  })

  it('is invalid with a field of another kind', () => {
    for (const name of Object.keys(row))
      expect([name, isSoundRow({ ...row, [name]: Symbol.iterator })]).toEqual([name, false])
  })

  it('is invalid when a text, list or JSON depth exceeds the limit', () => {
    for (const at of placesIn(row)) {
      const value = valueAt(row, at)
      if (typeof value === 'string' && !at.includes('providerMetadata'))
        expect([at, isSoundRow(withValue(row, at, LONG))]).toEqual([at, false])
      if (Array.isArray(value) && value.length > 0) {
        const many = Array.from({ length: 100_001 }, () => value[0] as unknown)
        expect([at, isSoundRow(withValue(row, at, many))]).toEqual([at, false])
      }
      expect([at, isSoundRow(withValue(row, at, DEEP))]).toEqual([at, false])
    }
  })

  it('is invalid with a role that does not belong to its fact', () => {
    for (const name of ['message', 'returned'])
      for (const role of ['system', 'user', 'assistant', 'tool', 'developer']) {
        const message = (fields as Record<string, unknown>)[name]
        if (typeof message !== 'object') continue
        const isOwn = role === (OF_MODELS.has(type) ? 'assistant' : 'user')
        const said = { ...row, [name]: { ...message, role } }
        expect([role, isSoundRow(said)]).toEqual([role, isOwn])
      }
  })
})

test.each([
  {},
  { type: 'object' },
  { type: 'object', properties: [] },
  { type: 'object', properties: { a: null } },
  { type: 'object', properties: { a: { type: 'object' } } },
  { type: 'object', properties: { a: { type: 'string', title: 5 } } },
  { type: 'object', properties: { a: { type: 'string', enum: [5] } } },
  { type: 'object', properties: { a: { type: 'string', oneOf: [{ const: 'a' }] } } },
  { type: 'object', properties: { a: { type: 'array' } } },
  { type: 'object', properties: { a: { type: 'array', items: { anyOf: ['a'] } } } },
  { type: 'object', properties: {}, required: 'a' },
])('a question whose fields a page could not show is invalid: %j', (fields) => {
  const row = { type: 'question-asked', runId: 'r', at: 1, ...samples['question-asked'] }
  expect(isSoundRow(row)).toBe(true)
  expect(isSoundRow({ ...row, fields })).toBe(false)
})

test.each([
  ['renamed', 'title', 10_000],
  ['head-moved', 'to', 10_000],
  ['undo-settled', 'message', 1_000_000],
  ['question-asked', 'question', 1_000_000],
  ['compacted', 'summary', 33_554_432],
] as const)('for the fact %s, %s may have %i characters and no more', (type, name, most) => {
  const row = { type, runId: 'r', at: 1, ...samples[type] }
  expect(findProblem({ ...row, [name]: 'x'.repeat(most) })).toBeNull()
  expect(findProblem({ ...row, [name]: 'x'.repeat(most + 1) })).toContain(`of a ${type} row`)
})

test.each([
  ['the last moment that a date can hold', 8.64e15, true],
  ['a moment before 1970', -1, true],
  ['more than a date can hold', 8.64e15 + 2, false],
  ['less than a date can hold', -8.64e15 - 2, false],
  ['no number', '2026-01-01', false],
  ['nothing', undefined, false],
])('a row at %s is valid: %s', (_, at, isSound) => {
  expect(isSoundRow({ runId: null, at, type: 'renamed', title: 'x' })).toBe(isSound)
  // Deadlines are shown, too, and may be missing.
  if (at === undefined) return
  for (const type of ['call-suspended', 'consent-given'] as const)
    expect(isSoundRow({ ...samples[type], type, runId: null, at: 1, until: at })).toBe(isSound)
})
