import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowed } from '../../../src/conversation/checkpoint.ts'
import { fold } from '../../../src/conversation/fold.ts'
import { nextRequestTaint, taintOfRequest } from '../../../src/conversation/taint.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import { Talk } from './talk.ts'
import { someOf } from '../more.ts'

const choices = fc.array(fc.nat({ max: 9999 }), { minLength: 5, maxLength: 60, size: 'max' })

/** The head moves to before a compaction that was on the branch left: what it had hidden is sent again. */
const BACK_FROM_A_COMPACTION: [number[], number] = [
  [4, 2, 7276, 880, 9992, 1363, 4003, 5080, 7029, 0],
  4,
]

function originsOf(state: ConversationState): readonly string[] {
  return nextRequestTaint(state)
    .map(({ origin }) => origin)
    .toSorted()
}

describe('the taint of the next request', () => {
  it('covers the messages in it and what they were made from, for any history', () => {
    fc.assert(
      fc.property(choices, (acts) => {
        const talk = new Talk()
        for (const act of acts) {
          talk.act(act)
          expect(originsOf(talk.state)).toEqual(talk.marks)
        }
      }),
      { numRuns: someOf(120) },
    )
  })

  it('is the same when folded at once, and known for each answer', () => {
    fc.assert(
      fc.property(choices, (acts) => {
        const talk = new Talk()
        for (const act of acts) talk.act(act)
        const { state, rows } = talk
        const empty = fold(new Talk().state, rows)
        expect(nextRequestTaint(empty)).toEqual(nextRequestTaint(state))
        for (const { id, message } of state.path) {
          if (message.role !== 'assistant') continue
          const [part] = message.parts
          const marks = part?.type === 'text' ? part.text.match(/\w+/g) : null
          const origins = taintOfRequest(state, id).map(({ origin }) => origin)
          expect(origins.toSorted()).toEqual([...(marks ?? [])].toSorted())
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is known with only the newest messages, or the state is stale', () => {
    let compared = 0
    fc.assert(
      fc.property(choices, fc.nat({ max: 40 }), (acts, joinedAt) => {
        const talk = new Talk()
        let seen: ConversationState | null = null
        for (const [index, act] of acts.entries()) {
          const from = talk.rows.length
          talk.act(act)
          if (seen) seen = fold(seen, talk.rows.slice(from))
          if (index === joinedAt) seen = windowed(talk.state, 3)
          if (!seen || seen.isStale) continue
          compared++
          expect(originsOf(seen)).toEqual(talk.marks)
        }
      }),
      { numRuns: someOf(100), examples: [BACK_FROM_A_COMPACTION] },
    )
    expect(compared).toBeGreaterThan(10)
  })

  it('keeps its identity while nothing changes', () => {
    const talk = new Talk()
    for (const act of [0, 4, 2, 0]) talk.act(act)
    const before = nextRequestTaint(talk.state)
    expect(before).toHaveLength(1)
    talk.act(2)
    expect(nextRequestTaint(talk.state)).toBe(before)
  })
})
