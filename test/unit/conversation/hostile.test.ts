import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { olderThan, windowed, withOlder } from '../../../src/conversation/checkpoint.ts'
import {
  joinCursor,
  projectDelta,
  projectFact,
  catchUpEvents,
} from '../../../src/conversation/project.ts'
import { resultOf } from '../../../src/conversation/result.ts'
import { leafUnder } from '../../../src/conversation/tree.ts'
import { view } from '../../../src/conversation/view.ts'
import { isRow, type StreamItem } from '../../../src/protocol/notices.ts'
import { NOTHING_SEEN, see, streams } from './support.ts'

/** Lost, doubled, late, and with the ids of others. */
const unlawful = fc
  .tuple(
    streams,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('lose', 'double', 'swap', 'reuse')), {
      minLength: 1,
      maxLength: 60,
    }),
  )
  .map(([items, faults]) => {
    const stream = [...items]
    for (const [place, fault] of faults) {
      const at = place % Math.max(1, stream.length)
      const item = stream[at]
      const other = stream[(at * 7) % Math.max(1, stream.length)]
      if (item === undefined || other === undefined) continue
      if (fault === 'lose') stream.splice(at, 1)
      else if (fault === 'double') stream.push(item)
      else if (fault === 'swap') stream.push(...stream.splice(at, 3).toReversed())
      else stream[at] = withIdsOf(item, other)
    }
    return stream
  })

function withIdsOf(item: StreamItem, other: StreamItem): StreamItem {
  const ids = JSON.stringify(other).match(/"(m|call|run)\d+"/g) ?? []
  let next = 0
  return JSON.parse(
    JSON.stringify(item).replace(/"(m|call|run)\d+"/g, (id) => ids[next++ % ids.length] ?? id),
  ) as StreamItem
}

describe('an invalid stream', () => {
  it('never throws, ends every walk, and leaves plain data', () => {
    fc.assert(
      fc.property(unlawful, fc.integer({ min: 1, max: 9 }), (items, size) => {
        let seen = NOTHING_SEEN
        let cursor = joinCursor(seen, 'run1')
        for (const item of items) {
          const next = see(seen, item)
          const moment = { state: next.state, live: seen.live }
          cursor = isRow(item)
            ? projectFact(cursor, item, moment).cursor
            : projectDelta(cursor, item, moment).cursor
          seen = next
          view(seen.state, seen.live)
        }
        const { state, live } = seen
        expect(JSON.parse(JSON.stringify({ state, live }))).toStrictEqual({ state, live })
        for (const { id } of [...state.path, ...state.others]) leafUnder(state, id)
        catchUpEvents({ state, live }, state.run?.runId ?? '')
        resultOf(state, state.run?.runId ?? '', { outcome: { outcome: 'completed' }, live })
        const window = windowed(state, size)
        const page = olderThan(state, window.path[0]?.id ?? '', size)
        if (page) view(withOlder(window, page), live)
      }),
    )
  })
})
