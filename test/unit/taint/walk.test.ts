import { expect, test } from 'vitest'
import { TaintWalk } from '../../../src/conversation/taint.ts'
import type { ContextRow, MessageNode } from '../../../src/protocol/state.ts'

// Cases that a test model doesn't produce: plans, and untrusted content without a known message.

let seq = 0
const message = (role: 'user' | 'assistant', id: string): MessageNode =>
  ({ id, seq: ++seq, message: { role, id, parts: [] }, calls: [] }) as never
const row = (fact: object): ContextRow => ({ seq: ++seq, at: seq, ...fact }) as never
const taken = (after: string | null) => row({ type: 'context-tainted', after, origin: 'mails' })
const planned = (after: string, status: string) =>
  row({ type: 'plan-changed', after, plan: [{ text: 'Send it', status }] })
/** Leaves the messages out, without a summary. */
const dropped = (from: string, to: string) =>
  row({ type: 'compacted', after: to, from, to, keptFrom: null, summary: '' })

const originsOf = (path: readonly MessageNode[], rows: readonly ContextRow[]) =>
  new TaintWalk(path, rows).taint.map(({ origin }) => origin)

test('a plan made from untrusted content taints until all its items are done', () => {
  const path = [message('user', 'u')]
  const rows = [taken('u')]
  path.push(message('assistant', 'a'))
  rows.push(planned('a', 'pending'), dropped('u', 'a'))
  expect(originsOf(path, rows)).toEqual(['mails'])
  rows.push(planned('a', 'done'))
  expect(originsOf(path, rows)).toEqual([])
})

test('a plan made before untrusted content does not taint', () => {
  const path = [message('user', 'u'), message('assistant', 'a')]
  const rows = [planned('a', 'pending'), taken('a'), dropped('u', 'a')]
  expect(originsOf(path, rows)).toEqual([])
})

test('a plan made on a branch does not depend on later messages there', () => {
  const path = [message('user', 'u'), message('user', 'v')]
  const rows = [taken('v'), planned('u', 'pending'), dropped('u', 'v')]
  expect(originsOf(path, rows)).toEqual([])
})

test('taint without a message stays when all messages are compacted', () => {
  const rows = [taken(null)]
  const path = [message('user', 'u'), message('assistant', 'a')]
  rows.push(dropped('u', 'a'))
  expect(originsOf(path, rows)).toEqual(['mails'])
})

test("taint without a message stays when its call's results are cleared", () => {
  const path = [message('user', 'u'), message('assistant', 'a')]
  const cleared = row({ type: 'results-cleared', after: 'a', paths: [['c']] })
  const of = (after: string | null) =>
    row({ type: 'context-tainted', after, origin: 'mails', path: ['c'] })
  // After a fork or an import, the messages derived from the content aren't known.
  expect(originsOf(path, [of(null), cleared])).toEqual(['mails'])
  // Within the conversation itself this is known: the answer came before.
  expect(originsOf([message('user', 'v')], [of('v'), cleared])).toEqual([])
})
