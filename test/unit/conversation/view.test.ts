import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { view } from '../../../src/conversation/view.ts'
import { isRow } from '../../../src/protocol/stream.ts'
import { NOTHING_SEEN, see, streams } from './support.ts'

describe('what is shown of a lawful stream', () => {
  it('names no driver once the run has ended', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let seen = NOTHING_SEEN
        for (const item of items) {
          seen = see(seen, item)
          if (seen.state.run?.end && !seen.live.waits)
            expect(view(seen.state, seen.live).ownership).toBe('none')
        }
      }),
    )
  })

  it('says when each message was stored, and nothing of the one that is being written', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const { state, live } = items.reduce(see, NOTHING_SEEN)
        const times = new Map(state.path.map(({ id, at }) => [id, at]))
        for (const { id, at } of view(state, live).messages) expect(at).toBe(times.get(id))
      }),
    )
  })

  it('has nothing of a run whose history was cleared', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let seen = NOTHING_SEEN
        for (const item of items) {
          seen = see(seen, item)
          if (!isRow(item) || item.type !== 'history-cleared') continue
          const shown = view(seen.state, seen.live)
          expect(shown.messages).toEqual([])
          expect(shown.error).toBeUndefined()
          expect(shown.ended).toBeUndefined()
        }
      }),
    )
  })
})
