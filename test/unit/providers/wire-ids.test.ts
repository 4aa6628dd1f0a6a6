import { expect, test } from 'vitest'
import { createWireIds } from '../../../src/providers/core/wire-ids.ts'

const plain = { pattern: /^[a-z0-9_]{1,12}$/, length: 12 }

test("the provider's id is sent back, or the call's id without one", () => {
  const ids = createWireIds(plain)
  expect(ids.next({ toolCallId: 'in_1', providerCallId: 'call_0' })).toBe('call_0')
  expect(ids.next({ toolCallId: 'in_2' })).toBe('in_2')
  expect([ids.getId('in_1'), ids.getId('in_2')]).toEqual(['call_0', 'in_2'])
})

test('F13 an id occurs once per request, and repeated ids are replaced', () => {
  const ids = createWireIds(plain)
  const sent = ['in_1', 'in_2', 'call_0'].map((toolCallId) =>
    ids.next({ toolCallId, providerCallId: 'call_0' }),
  )
  expect(sent.slice(0, 2)).toEqual(['call_0', 'in_2'])
  expect(new Set(sent).size).toBe(3)
  expect(ids.getId('call_0')).toBe(sent[2])
})

test('an id that the vendor refuses is always replaced by the same one', () => {
  const sent = [1, 2].map(() => createWireIds(plain).next({ toolCallId: 'functions.ping:0' }))
  expect(sent[0]).toMatch(plain.pattern)
  expect(sent[0]).toBe(sent[1])
})
