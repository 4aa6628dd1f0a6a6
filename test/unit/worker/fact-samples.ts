import type { FactOf, FactType } from '../../../src/protocol/fact.ts'
import { words } from './store-support.ts'

const path = ['call']
const by = { definition: 'hash', replayable: false, reconcilable: false }
const error = { code: 'network', message: 'No.', retryable: true } as const
const attempt = { step: 1, attempt: 1, usage: {} }
const parts = [
  { type: 'text', text: 'a' },
  { type: 'reasoning', text: 'b' },
] as const

/** A sample of each fact, with all of its fields. */
export const samples: { readonly [Type in FactType]: Omit<FactOf<Type>, 'type'> } = {
  'run-started': {
    parentId: null,
    message: words('hi'),
    limits: { maxSteps: 1, retries: 1, steps: 1, tokens: 1, costUSD: 0.5, minutes: 1 },
  },
  'step-started': { step: 1, resumed: false, limit: 'tokens' },
  'run-resumed': {},
  'attempt-failed': { ...attempt, error },
  'model-output': {
    ...attempt,
    parentId: 'm',
    message: {
      role: 'assistant',
      id: 'a',
      parts: [
        ...parts,
        { type: 'file', mediaType: 'image/png', data: 'AAAA', filename: 'a.png' },
        { type: 'tool-call', toolCallId: 'call', toolName: 't', input: null, providerCallId: 'p' },
      ],
      providerMetadata: { openai: { reasoning: 'c' } },
      actionText: 'd',
      losses: [{ code: 'request-changed', message: 'Left out.' }],
    },
    toolsId: 'tools',
    calls: [{ toolCallId: 'call', known: true, parallel: false, title: 'T', source: 's' }],
    form: { key: 'k', changes: ['c'], at: 1 },
    finishReason: 'stop',
    rawFinishReason: 'stop',
    toolMode: 'action',
    feedback: { id: 'f', error: { code: 'malformed', message: 'Odd.' }, text: 'Odd.' },
    reminder: { id: 'g', text: 'Go on.' },
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
  'run-paused': { reason: 'crash-loop' },
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
  'row-set-aside': { reason: 'Row 3 is damaged.' },
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
  'context-tainted': { after: null, origin: 'https://a.example', path },
  'descriptions-changed': { after: null, origins: ['tools of a.example'] },
  'memory-retrieved': { after: null, items: [{}] },
  'consent-given': {
    consentId: 'c',
    scope: { toolName: 't', definition: 'd', within: 'run' },
    until: 5,
  },
  'consent-revoked': { consentId: 'c' },
}

type Place = readonly string[]

/** The places of all values in a row, those within other values too. */
export function placesIn(value: unknown, within: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [within]
  const own = within.length === 0 ? [] : [within]
  return Object.entries(value).reduce<Place[]>(
    (places, [name, each]) => [...places, ...placesIn(each, [...within, name])],
    own,
  )
}

export function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((each, name) => (each as Record<string, unknown>)[name], value)
}

/** A copy with another value at a place. `undefined` leaves the field out. */
export function withValue(row: object, place: Place, value: unknown): Record<string, unknown> {
  const copy = structuredClone(row)
  const name = place.at(-1) ?? ''
  const holder = valueAt(copy, place.slice(0, -1)) as Record<string, unknown>
  if (value === undefined) delete holder[name]
  else
    Object.defineProperty(holder, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  return copy as Record<string, unknown>
}
