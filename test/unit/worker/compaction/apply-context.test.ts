import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallPath } from '../../../../src/protocol/fact.ts'
import type { Message, ToolOutput } from '../../../../src/protocol/message.ts'
import type { ContextRow, MessageNode } from '../../../../src/protocol/state.ts'
import { applyContext } from '../../../../src/worker/model/compaction.ts'

const said = (id: string): Message => ({ role: 'user', id, parts: [{ type: 'text', text: id }] })

const called = (id: string, toolCallId: string): Message => ({
  role: 'assistant',
  id,
  parts: [{ type: 'tool-call', toolCallId, toolName: 'look', input: {} }],
})

const got = (
  id: string,
  toolCallId: string,
  output: ToolOutput = { type: 'text', value: `result of ${toolCallId}` },
): Message => ({
  role: 'tool',
  id,
  parts: [{ type: 'tool-result', toolCallId, toolName: 'look', output }],
})

function pathOf(messages: readonly Message[]): MessageNode[] {
  return messages.map((message, at) => ({
    id: message.id ?? '',
    parentId: messages[at - 1]?.id ?? null,
    seq: 1,
    runId: null,
    step: null,
    kind: 'imported',
    at: 0,
    message,
    calls: [],
  }))
}

const compacted = (from: string, to: string, summary: string): ContextRow => ({
  type: 'compacted',
  after: to,
  from,
  to,
  keptFrom: null,
  summary,
  seq: 0,
  at: 0,
})

const clearing = (...paths: CallPath[]): ContextRow => ({
  type: 'results-cleared',
  after: null,
  paths,
  seq: 0,
  at: 0,
})

/** Ids of messages that are sent whole; texts that replace other messages. */
const sent = (messages: readonly Message[]): unknown[] =>
  messages.map(
    ({ id, parts }) => id ?? parts.map((part) => ('text' in part ? part.text : '')).join(''),
  )

const summaryOf = (text: string): string =>
  `Earlier messages were removed to save room. Summary of them:\n${text}`

const steps = pathOf([
  said('u1'),
  called('a1', 'c1'),
  got('t1', 'c1'),
  called('a2', 'c2'),
  got('t2', 'c2'),
  said('u2'),
])

describe('compacted', () => {
  it('sends a range as its summary, and the rest as it was', () => {
    const messages = applyContext(steps, [compacted('u1', 't1', 'one')])
    expect(sent(messages)).toEqual([summaryOf('one'), 'a2', 't2', 'u2'])
    expect(messages[1]).toBe(steps[3]?.message)
    expect(messages[0]).toMatchObject({ role: 'user', synthetic: true })
  })

  it('sends only the newer summary where it covers an older one', () => {
    const rows = [compacted('u1', 't1', 'one'), compacted('u1', 't2', 'two')]
    expect(sent(applyContext(steps, rows))).toEqual([summaryOf('two'), 'u2'])
  })

  it('sends both summaries where neither covers the other', () => {
    const rows = [compacted('u1', 't1', 'one'), compacted('a2', 't2', 'two')]
    expect(sent(applyContext(steps, rows))).toEqual([summaryOf('one'), summaryOf('two'), 'u2'])
  })

  it('keeps a call and its result together, wherever its range ends', () => {
    expect(sent(applyContext(steps, [compacted('t1', 'a2', 'one')]))).toEqual(
      steps.map(({ id }) => id),
    )
    expect(sent(applyContext(steps, [compacted('t1', 't2', 'one')]))).toEqual([
      'u1',
      'a1',
      't1',
      summaryOf('one'),
      'u2',
    ])
  })

  it('keeps instructions, and notes missing messages if there is no summary', () => {
    const path = pathOf([
      { role: 'system', id: 's1', parts: [{ type: 'text', text: 'Be brief.' }] },
      said('u1'),
      said('u2'),
    ])
    expect(sent(applyContext(path, [compacted('s1', 'u1', '')]))).toEqual([
      'Earlier messages were removed to save room.',
      's1',
      'u2',
    ])
  })

  it('changes nothing if its messages are not on the branch', () => {
    const all = steps.map(({ id }) => id)
    expect(sent(applyContext(steps, [compacted('gone', 't1', 'one')]))).toEqual(all)
    expect(sent(applyContext(steps, [compacted('u1', 'gone', 'one')]))).toEqual(all)
    expect(sent(applyContext(steps, [compacted('u2', 'u1', 'one')]))).toEqual(all)
  })
})

describe('results-cleared', () => {
  it('sends a note instead of results, for the listed calls only', () => {
    const messages = applyContext(steps, [clearing(['c1'], ['c2', 'nested'])])
    expect(messages[2]).toMatchObject({
      role: 'tool',
      parts: [
        { toolCallId: 'c1', output: { type: 'text', value: expect.stringContaining('removed') } },
      ],
    })
    expect(messages.filter((_, at) => at !== 2)).toEqual(
      steps.filter((_, at) => at !== 2).map(({ message }) => message),
    )
  })

  it('keeps errors and refusals', () => {
    const path = pathOf([
      called('a1', 'c1'),
      got('t1', 'c1', { type: 'denied', reason: 'no' }),
      called('a2', 'c2'),
      got('t2', 'c2', { type: 'error', code: 'failed', message: 'broken' }),
    ])
    expect(applyContext(path, [clearing(['c1'], ['c2'])])).toEqual(
      path.map(({ message }) => message),
    )
  })
})

it('a call keeps its result, and later messages only add to the request', () => {
  const history = Array.from({ length: 12 }, (_, step) => [
    ...(step % 3 === 0 ? [said(`u${step}`)] : []),
    called(`a${step}`, `c${step}`),
    got(`t${step}`, `c${step}`),
  ]).flat()
  const path = pathOf(history)
  const index = fc.nat(path.length - 1)
  const row = fc.oneof(
    fc
      .tuple(index, index)
      .map(([from, to]) => compacted(path[from]?.id ?? '', path[to]?.id ?? '', `${from}-${to}`)),
    fc.nat(11).map((step) => clearing([`c${step}`])),
  )
  fc.assert(
    fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
      const messages = applyContext(path, rows)
      messages.forEach((message, at) => {
        const next = messages[at + 1]
        if (message.role === 'assistant') expect(next?.role).toBe('tool')
        if (next?.role === 'tool') expect(message.role).toBe('assistant')
      })
      expect(messages[0]?.role).not.toBe('tool')
      const longer = pathOf([
        ...history,
        said('later'),
        called('a-later', 'c-later'),
        got('t-later', 'c-later'),
      ])
      const grown = applyContext(longer, rows)
      expect(JSON.stringify(grown.slice(0, messages.length))).toBe(JSON.stringify(messages))
    }),
  )
})

it('a growing path gives the same result at each step as a fresh computation', () => {
  const path = pathOf(
    Array.from({ length: 10 }, (_, step) => [
      ...(step % 3 === 0 ? [said(`u${step}`)] : []),
      ...(step === 4 ? [{ ...said('s'), role: 'system' } as Message] : []),
      called(`a${step}`, `c${step}`),
      got(`t${step}`, `c${step}`),
    ]).flat(),
  )
  const index = fc.nat(path.length - 1)
  const row = fc.oneof(
    fc
      .tuple(index, index)
      .map(([from, to]) => compacted(path[from]?.id ?? '', path[to]?.id ?? '', `${from}-${to}`)),
    fc.nat(9).map((step) => clearing([`c${step}`])),
  )
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      for (let length = 1; length <= path.length; length++) {
        const part = path.slice(0, length)
        expect(applyContext(part, rows)).toEqual(applyContext(part, [...rows]))
      }
    }),
  )
})
