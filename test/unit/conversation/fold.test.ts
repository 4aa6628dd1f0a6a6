import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contextOn } from '../../../src/conversation/context.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { callParts } from '../../../src/conversation/fold-call.ts'
import { resultOf } from '../../../src/conversation/result.ts'
import { leafUnder } from '../../../src/conversation/tree.ts'
import { view } from '../../../src/conversation/view.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { FactType, Row } from '../../../src/protocol/fact.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import type { StreamItem } from '../../../src/protocol/notices.ts'
import { naiveResult, NaiveTree } from './naive.ts'
import { deepFreeze, NOTHING_SEEN, rowsOf, see, streams } from './support.ts'
import { someOf } from '../more.ts'

type DeltaType = Delta['type']

const EMPTY = deepFreeze(emptyState('c'))

function wholeOf(items: readonly StreamItem[]): ConversationState {
  return fold(EMPTY, rowsOf(items))
}

describe('the fold of a valid stream', () => {
  it('covers every fact and delta in these tests', () => {
    const met = new Set<string>()
    for (const items of fc.sample(streams, 300)) for (const { type } of items) met.add(type)
    const all: Record<FactType, true> = FACTS
    expect(Object.keys(all).filter((type) => !met.has(type))).toEqual([])
    expect(Object.keys(DELTAS).filter((type) => !met.has(type))).toEqual([])
  })

  it('is the same row by row, at once or in slices, and changes no input', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.integer({ min: 1, max: 30 })), (items, sizes) => {
        const rows = deepFreeze(rowsOf(items))
        const whole = fold(EMPTY, rows)
        let sliced: ConversationState = EMPTY
        let single: ConversationState = EMPTY
        let at = 0
        for (const size of [...sizes, rows.length]) {
          sliced = deepFreeze(fold(sliced, rows.slice(at, at + size)))
          at += size
        }
        for (const row of rows) single = deepFreeze(fold(single, [row]))
        expect(sliced).toStrictEqual(whole)
        expect(single).toStrictEqual(whole)
      }),
    )
  })

  it('gives messages of the model their role, even when their rows lack it', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const rows = rowsOf(items)
        const without = rows.map((row) => {
          if (row.type !== 'model-output') return row
          const { role: _role, ...message } = row.message
          return { ...row, message } as Row
        })
        expect(fold(EMPTY, without)).toEqual(fold(EMPTY, rows))
        for (const row of without)
          if (row.type === 'model-output')
            expect(callParts(row.message)).toEqual(
              row.message.parts.filter(({ type }) => type === 'tool-call'),
            )
      }),
    )
  })

  it('leaves unchanged what a row does not concern', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let before = NOTHING_SEEN
        let shown = view(before.state, before.live)
        for (const item of items) {
          const after = see(before, item)
          const known = new Map(
            [...before.state.path, ...before.state.others].map((node) => [node.id, node]),
          )
          for (const node of [...after.state.path, ...after.state.others])
            if (isDeepStrictEqual(known.get(node.id), node)) expect(known.get(node.id)).toBe(node)
          const next = view(after.state, after.live)
          const messages = new Map(shown.messages.map((message) => [message.id, message]))
          if (before.live.progress === after.live.progress)
            for (const node of after.state.path)
              if (known.get(node.id) === node && before.state.path.includes(node))
                expect(next.messages.find(({ id }) => id === node.id)).toBe(messages.get(node.id))
          before = after
          shown = next
        }
      }),
      { numRuns: someOf(100) },
    )
  })

  it('keeps the first end of a call, for the call and for models', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const { path, run, seq, ...rest } = wholeOf(items)
        for (const row of rowsOf(items)) {
          if (row.type !== 'call-settled') continue
          const again = { ...row, seq: seq + 1, output: { type: 'text', value: 'forged' } } as const
          const after = fold({ ...rest, path, run, seq }, [again])
          expect([after.path, after.run]).toStrictEqual([path, run])
        }
      }),
      { numRuns: someOf(100) },
    )
  })

  it('is plain data', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const state = wholeOf(items)
        expect(structuredClone(state)).toStrictEqual(state)
        expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state)
      }),
    )
  })

  it("gives models the messages of the path, with results in their calls' order", () => {
    fc.assert(
      fc.property(streams, (items) => {
        const { path } = wholeOf(items)
        expect(path.map(({ message }) => message)).toStrictEqual(
          new NaiveTree(rowsOf(items)).messages,
        )
        for (const [index, { calls, message }] of path.entries()) {
          if (calls.length === 0) continue
          const behind = path[index + 1]
          expect(behind?.message.role).toBe('tool')
          expect(behind?.parentId).toBe(message.id)
          expect(path[index + 2]?.message.role).not.toBe('tool')
        }
      }),
    )
  })

  it('has the message tree: path, siblings, and the last used leaf of each', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const rows = rowsOf(items)
        const state = fold(EMPTY, rows)
        const tree = new NaiveTree(rows)
        expect(state.path.map(({ id }) => id)).toEqual(tree.path)
        expect([...state.path, ...state.others].map(({ id }) => id).toSorted()).toEqual(
          tree.nodes.map(({ id }) => id).toSorted(),
        )
        for (const { id } of tree.nodes) expect(leafUnder(state, id)).toBe(tree.leafUnder(id))
        const { branches } = view(state, NOTHING_SEEN.live)
        const expected = tree.path.flatMap((id) => {
          const ids = tree.siblings(id)
          return ids.length > 1 ? [[id, { index: ids.indexOf(id), ids }] as const] : []
        })
        expect(branches).toEqual(Object.fromEntries(expected))
      }),
    )
  })

  it('is empty after the history was cleared, except for data of the conversation', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const rows = rowsOf(items)
        const cleared = rows.findLastIndex(({ type }) => type === 'history-cleared')
        if (cleared < 0) return
        const after = fold(EMPTY, rows.slice(0, cleared + 1))
        const { seq, era, title, queue, consents, run, setAside } = after
        expect(after).toEqual({ ...EMPTY, seq, era, title, queue, consents, run, setAside })
        expect(run?.calls ?? []).toEqual([])
      }),
    )
  })

  it("counts facts about the model's context along the path only", () => {
    fc.assert(
      fc.property(streams, (items) => {
        const rows = rowsOf(items)
        const path = new Set<string | null>([null, ...new NaiveTree(rows).path])
        const era = rows.findLastIndex(({ type }) => type === 'history-cleared')
        const expected = rows.slice(era + 1).filter((row) => {
          if (row.type === 'row-set-aside') return true
          if (!('after' in row) || !path.has(row.after)) return false
          return row.type !== 'compacted' || path.has(row.keptFrom)
        })
        expect(contextOn(fold(EMPTY, rows)).map(({ seq }) => seq)).toEqual(
          expected.map(({ seq }) => seq),
        )
      }),
    )
  })

  it('gives results that agree with a recount of the rows', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const rows = rowsOf(items)
        for (const [index, row] of rows.entries()) {
          if (row.type !== 'run-ended' || row.runId === null) continue
          const known = rows.slice(0, index + 1)
          const result = resultOf(fold(EMPTY, known), row.runId, { outcome: row.end })
          const expected = naiveResult(known, row.runId)
          const { modelCalls, inputTokens, outputTokens } = result.usage
          const { steps, finishReason, text } = result
          const outer = expected.calls.map(({ toolCallId }) => toolCallId)
          const calls = result.toolCalls
            .filter(({ toolCallId }) => outer.includes(toolCallId))
            .map(({ toolCallId, status, output = null }) => ({
              toolCallId,
              status: row.end.outcome === 'waiting' && output === null ? null : status,
              output,
            }))
          expect({
            steps,
            modelCalls,
            inputTokens,
            outputTokens,
            finishReason,
            text,
            calls,
          }).toEqual(expected)
        }
      }),
    )
  })
})

const FACTS: Record<FactType, true> = {
  'run-started': true,
  'step-started': true,
  'attempt-failed': true,
  'model-output': true,
  'step-cut': true,
  'answer-rejected': true,
  'answer-reflected': true,
  'run-resumed': true,
  'run-paused': true,
  'run-continued': true,
  'run-ended': true,
  'call-proposed': true,
  'approval-requested': true,
  'approval-answered': true,
  'question-asked': true,
  'question-answered': true,
  'output-requested': true,
  'call-started': true,
  'call-withdrawn': true,
  'call-suspended': true,
  'step-outcome': true,
  'child-started': true,
  'child-usage': true,
  'call-interrupted': true,
  'interruption-resolved': true,
  'call-settled': true,
  'undo-started': true,
  'undo-settled': true,
  'messages-imported': true,
  'head-moved': true,
  'history-cleared': true,
  renamed: true,
  'row-set-aside': true,
  'message-queued': true,
  'message-withdrawn': true,
  'message-delivered': true,
  'message-amended': true,
  'results-cleared': true,
  compacted: true,
  'skill-activated': true,
  'skill-dropped': true,
  'plan-changed': true,
  'context-tainted': true,
  'descriptions-changed': true,
  'memory-retrieved': true,
  'consent-given': true,
  'consent-revoked': true,
}

const DELTAS: Record<DeltaType, true> = {
  'attempt-started': true,
  'text-start': true,
  'text-delta': true,
  'text-end': true,
  'reasoning-start': true,
  'reasoning-delta': true,
  'reasoning-end': true,
  'tool-input-start': true,
  'tool-input-delta': true,
  'tool-input-end': true,
  'step-reset': true,
  retry: true,
  warning: true,
  request: true,
  raw: true,
  'tool-progress': true,
  'tool-unavailable': true,
  'storage-waits': true,
  'storage-takes': true,
  'run-left': true,
  'ownership-changed': true,
}
