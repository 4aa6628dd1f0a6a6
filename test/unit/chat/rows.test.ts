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

describe('calls that wait for approval', () => {
  const done = shown('t0', 'succeeded')
  const waiting = ['t1', 't2'].map((id) => shown(id, 'awaiting-approval'))

  test('share one row in place of the first when there are several', () => {
    const rows = rowsOf(snapshot([done, ...waiting], [asked('t1'), asked('t2')]))
    expect(rows.map(({ type }) => type)).toEqual(['call', 'approvals'])
    expect(rows[1]).toMatchObject({ calls: [{ toolCallId: 't1' }, { toolCallId: 't2' }] })
  })

  test('have their own row when only one waits or the host draws it', () => {
    expect(keys(snapshot(waiting.slice(0, 1), [asked('t1')]))).toEqual(['call:t1'])
    const both = snapshot(waiting, [asked('t1'), asked('t2')])
    expect(keys(both, { alone: () => true })).toEqual(['call:t1', 'call:t2'])
  })

  test('include those of other agents, and exclude equal ids of other conversations', () => {
    const child = { conversationId: 'child' }
    const rows = rowsOf(snapshot([done], [asked('t0', child), asked('t9', child)]))
    expect(rows.map(({ type }) => type)).toEqual(['call', 'approvals'])
  })
})

describe('finished calls', () => {
  const done = (id: string, toolName: string, more: object = {}): ShownCall =>
    shown(id, 'succeeded', { toolName, ...more })
  const read = (id: string, toolName: string): ShownCall => done(id, toolName, { readOnly: true })

  test('share one row when they change nothing, whatever their tools', () => {
    const calls = [read('a', 'read_page'), read('b', 'find'), read('c', 'read_page')]
    expect(keys(snapshot(calls, []))).toEqual(['calls:a'])
    expect(keys(snapshot(calls.slice(1), []))).toEqual(['call:b', 'call:c'])
  })

  test('share one row when they belong to one tool', () => {
    expect(
      keys(
        snapshot(
          ['a', 'b', 'c'].map((id) => done(id, 'click')),
          [],
        ),
      ),
    ).toEqual(['calls:a'])
  })

  test('have their own rows when a call between them changes something', () => {
    const calls = [read('a', 'find'), read('b', 'find'), done('c', 'click'), read('d', 'find')]
    expect(keys(snapshot(calls, []))).toEqual(['call:a', 'call:b', 'call:c', 'call:d'])
  })

  test('with effects start no row with calls that change nothing', () => {
    const calls = [done('a', 'click'), read('b', 'find'), read('c', 'find'), read('d', 'read_page')]
    expect(keys(snapshot(calls, []))).toEqual(['call:a', 'calls:b'])
  })
})
