import { describe, expect, test } from 'vitest'
import { rowsOf } from '../../../src/ui/chat/parts/rows.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { ConversationSnapshot, PendingCall, ShownCall } from '../../../src/index.ts'

function shown(toolCallId: string, status: ShownCall['status'], more: object = {}): ShownCall {
  return {
    conversationId: 'c1',
    toolCallId,
    toolName: 'pay',
    status,
    input: {},
    path: [toolCallId],
    ...more,
  }
}

function asked(toolCallId: string, more: object = {}): PendingCall {
  return { toolCallId, toolName: 'pay', input: {}, kind: 'approval', ...more }
}

function snapshot(
  calls: readonly ShownCall[],
  pending: readonly PendingCall[],
): ConversationSnapshot {
  const messages = [{ role: 'assistant', id: 'm1', parts: [], calls }] as const
  return { ...emptySnapshot('c1', 'idle'), messages, pending }
}

const keys = (...args: Parameters<typeof rowsOf>): string[] => rowsOf(...args).map(({ key }) => key)

describe('calls that wait for an approval', () => {
  const done = shown('t0', 'succeeded')
  const waiting = ['t1', 't2'].map((id) => shown(id, 'awaiting-approval'))

  test('are one row in place of the first, where they are several', () => {
    const rows = rowsOf(snapshot([done, ...waiting], [asked('t1'), asked('t2')]))
    expect(rows.map(({ type }) => type)).toEqual(['call', 'approvals'])
    expect(rows[1]).toMatchObject({ calls: [{ toolCallId: 't1' }, { toolCallId: 't2' }] })
  })

  test('have a row of their own each where only one waits, or the host draws it', () => {
    expect(keys(snapshot(waiting.slice(0, 1), [asked('t1')]))).toEqual(['call:t1'])
    const both = snapshot(waiting, [asked('t1'), asked('t2')])
    expect(keys(both, { alone: () => true })).toEqual(['call:t1', 'call:t2'])
  })

  test('of other agents are there, too, and a call of another conversation with the same id is not taken for one', () => {
    const child = { conversationId: 'child' }
    const rows = rowsOf(snapshot([done], [asked('t0', child), asked('t9', child)]))
    expect(rows.map(({ type }) => type)).toEqual(['call', 'approvals'])
  })
})

describe('calls that are done', () => {
  const done = (id: string, toolName: string, more: object = {}): ShownCall =>
    shown(id, 'succeeded', { toolName, ...more })
  const read = (id: string, toolName: string): ShownCall => done(id, toolName, { readOnly: true })

  test('are one row where they change nothing, whatever their tools are', () => {
    const calls = [read('a', 'read_page'), read('b', 'find'), read('c', 'read_page')]
    expect(keys(snapshot(calls, []))).toEqual(['calls:a'])
    expect(keys(snapshot(calls.slice(1), []))).toEqual(['call:b', 'call:c'])
  })

  test('are one row where they are of one tool', () => {
    expect(
      keys(
        snapshot(
          ['a', 'b', 'c'].map((id) => done(id, 'click')),
          [],
        ),
      ),
    ).toEqual(['calls:a'])
  })

  test('have rows of their own where a call between them changes something', () => {
    const calls = [read('a', 'find'), read('b', 'find'), done('c', 'click'), read('d', 'find')]
    expect(keys(snapshot(calls, []))).toEqual(['call:a', 'call:b', 'call:c', 'call:d'])
  })

  test('of a tool that changes something begin no row with those that change nothing', () => {
    const calls = [done('a', 'click'), read('b', 'find'), read('c', 'find'), read('d', 'read_page')]
    expect(keys(snapshot(calls, []))).toEqual(['call:a', 'calls:b'])
  })
})
