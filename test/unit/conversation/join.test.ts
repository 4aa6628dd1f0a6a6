import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { olderThan, windowed, withOlder } from '../../../src/conversation/checkpoint.ts'
import { NOTHING_LIVE } from '../../../src/conversation/live.ts'
import { view } from '../../../src/conversation/view.ts'
import type { ConversationState } from '../../../src/protocol/state.ts'
import { NOTHING_SEEN, see, streams, type Seen } from './support.ts'
import { someOf } from '../more.ts'

function join({ state, live }: Seen, size: number): Seen {
  return structuredClone({ state: windowed(state, size), live })
}

/** With pages of older messages, until all are there. */
function complete(state: ConversationState, whole: ConversationState, size: number) {
  let all = state
  while (all.older > 0) {
    const page = olderThan(whole, all.path[0]?.id ?? '', size)
    const more = page ? withOlder(all, structuredClone(page)) : all
    if (more === all) throw new Error('The page leads nowhere.')
    all = more
  }
  return all
}

describe('a page that joins', () => {
  it('shows the same as all others, whenever it joins and however it pages', () => {
    fc.assert(
      fc.property(
        streams,
        fc.record({
          at: fc.nat(400),
          window: fc.integer({ min: 1, max: 60 }),
          page: fc.integer({ min: 1, max: 20 }),
          pagesAt: fc.array(fc.nat(100), { maxLength: 5 }),
        }),
        (items, { at, window, page, pagesAt }) => {
          let whole = NOTHING_SEEN
          let joined: Seen | null = null
          for (const [index, item] of items.entries()) {
            whole = see(whole, item)
            if (joined === null) {
              if (index < Math.min(at, items.length / 2)) continue
              joined = join(whole, window)
            } else joined = see(joined, item)
            if (joined.state.isStale) joined = join(whole, window)
            const { state, live }: Seen = joined
            const all = complete(state, whole.state, page)
            expect(view(all, live)).toStrictEqual(view(whole.state, whole.live))
            if (pagesAt.includes(index % 100)) joined = { state: all, live }
          }
        },
      ),
    )
  })

  it('gets at once its own run, everything that waits and the newest messages', () => {
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 8 }), (items, window) => {
        let whole = NOTHING_SEEN
        for (const item of items) {
          whole = see(whole, item)
          const { state, live } = join(whole, window)
          const shown = view(state, live)
          const { messages: _, older: __, branches, ...rest } = view(whole.state, whole.live)
          expect(shown).toMatchObject(rest)
          expect(state.path.length).toBeGreaterThanOrEqual(
            Math.min(window, whole.state.path.length),
          )
          for (const id of Object.keys(shown.branches))
            expect(shown.branches[id]).toEqual(branches[id])
        }
      }),
      { numRuns: someOf(100) },
    )
  })

  it('shows settled content without deltas', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let whole = NOTHING_SEEN
        for (const item of items) {
          whole = see(whole, item)
          const { step, waits, progress } = whole.live
          const open = [waits?.message?.id, waits?.message ? undefined : step?.messageId]
          const settled = view(whole.state, NOTHING_LIVE).messages
          const shown = view(whole.state, whole.live).messages.filter(
            ({ id }) => !open.includes(id),
          )
          if (Object.keys(progress).length === 0) expect(shown).toStrictEqual(settled)
          else expect(shown.map(({ id }) => id)).toEqual(settled.map(({ id }) => id))
        }
      }),
      { numRuns: someOf(100) },
    )
  })
})
