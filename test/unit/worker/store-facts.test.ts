import { describe, expect, it, test } from 'vitest'
import type { FactOf, FactType } from '../../../src/protocol/fact.ts'
import { isSoundRow } from '../../../src/worker/store/check-row.ts'
import { words } from './store-support.ts'

const path = ['call']
const by = { definition: 'hash', replayable: false, reconcilable: false }
const error = { code: 'network', message: 'No.', retryable: true } as const
const attempt = { step: 1, attempt: 1, usage: {} }
const parts = [
  { type: 'text', text: 'a' },
  { type: 'reasoning', text: 'b' },
] as const

/** Of each fact one that has all of its fields. */
const samples: { readonly [Type in FactType]: Omit<FactOf<Type>, 'type'> } = {
  'run-started': {
    parentId: null,
    message: words('hi'),
    limits: { maxSteps: 1, retries: 1, steps: 1, tokens: 1, costUSD: 0.5, minutes: 1 },
  },
  'step-started': { step: 1, resumed: false, limit: 'tokens' },
  'run-taken-up': {},
  'attempt-failed': { ...attempt, error },
  'model-output': {
    ...attempt,
    parentId: 'm',
    message: {
      role: 'assistant',
      id: 'a',
      parts: [...parts, { type: 'tool-call', toolCallId: 'call', toolName: 't', input: null }],
    },
    toolsId: 'tools',
    calls: [{ toolCallId: 'call', known: true, parallel: false }],
    finishReason: 'stop',
    rawFinishReason: 'stop',
    toolMode: 'action',
    feedback: { id: 'f', error: { code: 'malformed', message: 'Odd.' }, text: 'Odd.' },
  },
  'step-cut': { ...attempt, parentId: null, message: { id: 'm', parts } },
  'answer-reflected': {
    step: 1,
    messageId: 'm',
    mode: 'replace',
    text: 'Better.',
    usage: { modelCalls: 1 },
  },
  'answer-rejected': { step: 1, parentId: 'm', message: { id: 'f', text: 'No.' } },
  'run-parked': { reason: 'crash-loop' },
  'run-continued': {},
  'run-ended': { end: { outcome: 'failed', error }, next: 'run' },
  'call-proposed': { path: ['call', 'inner'], toolName: 't', title: 'T', input: null },
  'approval-requested': { path, input: {}, by, about: { text: 'A button', data: 1, pageId: 'p' } },
  'approval-answered': { path, approved: true, reason: 'Fine.', input: {} },
  'question-asked': {
    path,
    question: 'Which?',
    options: ['a'],
    fields: { type: 'object', properties: {} },
    sensitive: ['a'],
  },
  'question-answered': { path, answer: 'a', values: {}, action: 'cancel' },
  'output-requested': { path, input: null, asks: false },
  'call-started': { path, executionId: 'e', input: {}, by, repeats: false },
  'call-withdrawn': { path },
  'call-suspended': { path, token: 't', until: 5 },
  'step-outcome': { path, key: 'k', value: null },
  'child-started': { path, childConversationId: 'c', childRunId: 'r' },
  'child-usage': { path, usage: { modelCalls: 1 }, steps: 1, activeMs: 5, ended: true },
  'call-interrupted': { path },
  'interruption-resolved': { path, verdict: 'run-again' },
  'call-settled': { path, status: 'denied', output: { type: 'denied' }, note: 'n' },
  'undo-started': { path },
  'undo-settled': { path, status: 'failed', message: 'm' },
  'messages-imported': {
    parentId: null,
    messages: [
      { role: 'system', id: 's', parts: [] },
      { role: 'user', ...words('hi') },
    ],
  },
  'head-moved': { to: 'm' },
  'history-cleared': {},
  renamed: { title: '' },
  'message-queued': { message: words('hi') },
  'message-withdrawn': { messageId: 'm' },
  'message-delivered': { messageId: 'm', parentId: null },
  'message-amended': { messageId: 'm', appended: 'More.', rewritten: 'Else.' },
  'results-cleared': { after: 'm', paths: [path] },
  compacted: { after: 'm', from: 'a', to: 'b', keptFrom: null, summary: 's' },
  'skill-activated': {
    after: null,
    name: 'n',
    hash: 'h',
    text: 't',
    restrictTools: ['t'],
    files: ['a.md'],
    loaded: true,
    path,
  },
  'skill-dropped': { after: null, name: 'n' },
  'plan-changed': { after: null, plan: [{ content: 't', status: 'pending' }] },
  'untrusted-taken-in': { after: null, origin: 'https://a.example', path },
  'descriptions-taken-in': { after: null, origins: ['tools of a.example'] },
  'memory-retrieved': { after: null, items: [{}] },
  'consent-given': {
    consentId: 'c',
    scope: { toolName: 't', definition: 'd', within: 'run' },
    until: 5,
  },
  'consent-revoked': { consentId: 'c' },
}

/** Fields that a fact may do without. */
const OPTIONAL: { readonly [Type in FactType]?: readonly string[] } = {
  'approval-requested': ['about'],
  'model-output': ['rawFinishReason', 'feedback'],
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
  'untrusted-taken-in': ['path'],
  'consent-given': ['until'],
}

describe.each(Object.entries(samples))('a row of the fact %s', (type, fields) => {
  const row: Record<string, unknown> = { type, runId: 'r', at: 1, ...fields }

  it('is sound, and without any field that it must have it is not', () => {
    expect(isSoundRow(row)).toBe(true)
    const optional = OPTIONAL[type as FactType] ?? []
    for (const name of Object.keys(row)) {
      const { [name]: _left, ...rest } = row
      expect([name, isSoundRow(rest)]).toEqual([name, optional.includes(name)])
    }
  })

  it('is not sound with a field of another kind', () => {
    // Values of these fields may be anything.
    const free = ['input', 'value', 'rawFinishReason']
    for (const name of Object.keys(row).filter((each) => !free.includes(each)))
      expect([name, isSoundRow({ ...row, [name]: Symbol.iterator })]).toEqual([name, false])
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
])('a question whose fields a page could not show is not sound: %j', (fields) => {
  const row = { type: 'question-asked', runId: 'r', at: 1, ...samples['question-asked'] }
  expect(isSoundRow(row)).toBe(true)
  expect(isSoundRow({ ...row, fields })).toBe(false)
})

test.each([
  ['the last moment that a date can hold', 8.64e15, true],
  ['a moment before 1970', -1, true],
  ['more than a date can hold', 8.64e15 + 2, false],
  ['less than a date can hold', -8.64e15 - 2, false],
  ['no number', '2026-01-01', false],
  ['nothing', undefined, false],
])('a row at %s: %s', (_, at, isSound) => {
  expect(isSoundRow({ runId: null, at, type: 'renamed', title: 'x' })).toBe(isSound)
})
