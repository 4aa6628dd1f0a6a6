import { describe, expect, test } from 'vitest'
import { emptySnapshot, reduceEvent } from '../../../src/client/snapshot.ts'
import type { ConversationSnapshot } from '../../../src/client/snapshot.ts'
import type { RunEvent, RunEventBody } from '../../../src/protocol/event.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { resultOf } from './fake-worker.ts'

const ref = { runId: 'r1', conversationId: 'c1' }
const stamp = (body: RunEventBody): RunEvent => ({ ...body, ...ref, seq: 0 })
const reduce = (snapshot: ConversationSnapshot, ...bodies: RunEventBody[]) =>
  bodies.map(stamp).reduce(reduceEvent, snapshot)

const user: Message = { role: 'user', id: 'r1:user', parts: [{ type: 'text', text: 'Hello' }] }
const start: RunEventBody = { type: 'run-start', message: user as never }
const step = (number: number): RunEventBody => ({ type: 'step-start', step: number, attempt: 1 })
const text = (delta: string): RunEventBody => ({ type: 'text-delta', partId: 'p', delta })
const call = (toolCallId: string): RunEventBody => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'tool',
  input: { a: 1 },
})
const settled = (toolCallId: string): RunEventBody => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'tool',
  status: 'succeeded',
  output: { type: 'text', value: toolCallId },
})
const end = (more: object = {}): RunEventBody => ({ type: 'run-end', result: resultOf(ref, more) })
const empty = emptySnapshot('c1', 'idle')

describe('reduceEvent', () => {
  test('shows why a run that it follows late rests, and no more once it goes on', () => {
    const late = { type: 'run-snapshot', messages: [], pending: [], step: 1, text: '' } as const
    const parked = reduce(empty, { ...late, parked: 'storage-full' })
    expect(parked).toMatchObject({ status: 'waiting', parked: 'storage-full' })
    const followed = reduce(parked, late)
    expect(followed.status).toBe('running')
    expect(followed).not.toHaveProperty('parked')
  })

  test('tells a run with a tool as the store keeps it', () => {
    const snapshot = reduce(
      empty,
      start,
      step(1),
      { type: 'reasoning-start', partId: 'q' },
      { type: 'reasoning-delta', partId: 'q', delta: 'hm' },
      { type: 'text-start', partId: 'p' },
      text('Let '),
      text('me.'),
      call('t1'),
      call('t2'),
      settled('t2'),
      settled('t1'),
      step(2),
      text('Done.'),
      end(),
    )
    expect(snapshot).toEqual({
      conversationId: 'c1',
      status: 'idle',
      pending: [],
      ownership: 'none',
      messages: [
        user,
        {
          role: 'assistant',
          id: 'r1:1',
          parts: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'Let me.' },
            { type: 'tool-call', toolCallId: 't1', toolName: 'tool', input: { a: 1 } },
            { type: 'tool-call', toolCallId: 't2', toolName: 'tool', input: { a: 1 } },
          ],
        },
        {
          role: 'tool',
          id: 'r1:1:tools',
          parts: [
            {
              type: 'tool-result',
              toolCallId: 't1',
              toolName: 'tool',
              output: { type: 'text', value: 't1' },
            },
            {
              type: 'tool-result',
              toolCallId: 't2',
              toolName: 'tool',
              output: { type: 'text', value: 't2' },
            },
          ],
        },
        { role: 'assistant', id: 'r1:2', parts: [{ type: 'text', text: 'Done.' }] },
      ],
    })
  })

  test('keeps the identity of what a delta does not touch', () => {
    const before = reduce(empty, start, step(1), call('t1'), settled('t1'), step(2), text('a'))
    const after = reduce(before, text('b'))
    expect(after).not.toBe(before)
    expect(after.pending).toBe(before.pending)
    expect(after.messages.slice(0, 3).every((message, at) => message === before.messages[at])).toBe(
      true,
    )
    expect(after.messages[3]).not.toBe(before.messages[3])
    expect(before.messages[3]!.parts).toEqual([{ type: 'text', text: 'a' }])
  })

  test('gives the same object back for what it does not show', () => {
    const before = reduce(empty, start, step(1))
    const silent: RunEventBody[] = [
      { type: 'tool-progress', toolCallId: 't1', progress: 1 },
      { type: 'raw', data: {} },
      { type: 'warning', code: 'w', message: 'w' },
      { type: 'tool-input-delta', toolCallId: 't1', delta: '{' },
      { type: 'text-end', partId: 'p' },
      { type: 'of-the-future' } as never,
    ]
    expect(reduce(before, ...silent)).toBe(before)
  })

  test('takes a withdrawn step back', () => {
    const reason = { code: 'network', message: 'Lost.', retryable: true } as const
    const snapshot = reduce(
      empty,
      start,
      step(1),
      text('wro'),
      { type: 'step-reset', step: 1, reason },
      step(1),
      text('right'),
    )
    expect(snapshot.messages[1]!.parts).toEqual([{ type: 'text', text: 'right' }])
    expect(snapshot.messages.length).toBe(2)
  })

  test('parks and goes on: approval, question, decision', () => {
    const parked = reduce(empty, start, step(1), call('t1'), {
      type: 'tool-approval-request',
      toolCallId: 't1',
      toolName: 'tool',
      input: { a: 2 },
    })
    expect(parked).toMatchObject({
      status: 'waiting',
      pending: [{ toolCallId: 't1', toolName: 'tool', input: { a: 2 }, kind: 'approval' }],
    })
    const approved = reduce(parked, {
      type: 'tool-approval-response',
      toolCallId: 't1',
      approved: true,
    })
    expect(approved).toMatchObject({ status: 'running', pending: [] })
    const asked = reduce(approved, {
      type: 'question',
      toolCallId: 't2',
      question: 'Which?',
      options: ['a'],
    })
    expect(asked.pending).toEqual([
      {
        toolCallId: 't2',
        toolName: 'ask_user',
        kind: 'answer',
        input: { question: 'Which?', options: ['a'] },
      },
    ])
    const interrupted = reduce(asked, {
      type: 'tool-interrupted',
      toolCallId: 't1',
      toolName: 'tool',
      input: {},
    })
    expect(interrupted.pending.map(({ kind }) => kind)).toEqual(['answer', 'decision'])
    expect(reduce(interrupted, settled('t1'), settled('t2'))).toMatchObject({
      status: 'running',
      pending: [],
    })
  })

  test('marks a text that was cut short, and drops an empty one', () => {
    const cut = reduce(
      empty,
      start,
      step(1),
      text('half'),
      end({ outcome: 'aborted', reason: 'stop' }),
    )
    expect(cut.messages[1]).toEqual({
      role: 'assistant',
      id: 'r1:partial',
      partial: true,
      parts: [{ type: 'text', text: 'half' }],
    })
    const error = { code: 'network', message: 'Lost.', retryable: true }
    const failed = reduce(empty, start, step(1), end({ outcome: 'failed', error }))
    expect(failed).toMatchObject({ status: 'idle', error, messages: [user] })
    expect(reduce(failed, { ...start }).error).toBeUndefined()
    const called = reduce(
      empty,
      start,
      step(1),
      text('a'),
      call('t1'),
      end({ outcome: 'aborted', reason: 'stop' }),
    )
    expect(called.messages[1]).not.toHaveProperty('partial')
  })

  test('keeps what a one-shot run waits for', () => {
    const pending = [{ toolCallId: 't1', toolName: 'tool', input: {}, kind: 'output' }]
    expect(
      reduce(empty, start, step(1), call('t1'), end({ outcome: 'waiting', pending })),
    ).toMatchObject({
      status: 'waiting',
      pending,
    })
  })

  test('takes a run’s snapshot in the place of what it knew of the run', () => {
    const other: Message = { role: 'user', id: 'r0:user', parts: [] }
    const known = reduce({ ...empty, messages: [other] }, start, step(1), text('old'))
    const snapshot = reduce(
      known,
      { type: 'run-snapshot', messages: [user], pending: [], step: 1, text: 'open' },
      text(' text'),
    )
    expect(snapshot.messages).toEqual([
      other,
      user,
      { role: 'assistant', id: 'r1:1', parts: [{ type: 'text', text: 'open text' }] },
    ])
    expect(snapshot).toMatchObject({ status: 'running', runId: 'r1' })
  })

  test('keeps what it does not touch: 20 000 deltas over a conversation of 1000 messages', () => {
    const messages = Array.from({ length: 1000 }, (_, at): Message => ({
      role: 'user',
      id: `m${at}`,
      parts: [],
    }))
    let snapshot = reduce({ ...empty, messages }, start, step(1))
    const before = snapshot.messages.slice(0, -1)
    for (let at = 0; at < 20_000; at++) snapshot = reduceEvent(snapshot, stamp(text('word ')))
    for (const [at, message] of before.entries()) expect(snapshot.messages[at]).toBe(message)
    expect(snapshot.messages.at(-1)!.parts).toMatchObject([{ text: 'word '.repeat(20_000) }])
  })
})
