import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { view } from '../../../src/conversation/view.ts'
import type { Delta, Ownership } from '../../../src/protocol/delta.ts'
import { FORMAT } from '../../../src/protocol/fact.ts'
import { isRow, type StreamItem } from '../../../src/protocol/notices.ts'
import { NOTHING_SEEN, see, streams } from './support.ts'

describe('the view of a valid stream', () => {
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

  it('gives the stored time of each message, and none for one being written', () => {
    fc.assert(
      fc.property(streams, (items) => {
        const { state, live } = items.reduce(see, NOTHING_SEEN)
        const times = new Map(state.path.map(({ id, at }) => [id, at]))
        for (const { id, at } of view(state, live).messages) expect(at).toBe(times.get(id))
      }),
    )
  })

  it('has an open run though this page left it to others', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let seen = NOTHING_SEEN
        for (const item of items) {
          seen = see(seen, item)
          const { run } = seen.state
          if (run?.end !== null || seen.live.waits) continue
          const shown = view(seen.state, seen.live)
          expect(shown.runId).toBe(run.runId)
          expect(shown.ended).toBeUndefined()
        }
      }),
    )
  })

  it('gives the end of a stored run, whatever was refused before', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let seen = NOTHING_SEEN
        for (const item of items) {
          seen = see(seen, item)
          if (!isRow(item) || item.type !== 'run-ended') continue
          const { ended } = view(seen.state, seen.live)
          expect(ended).toMatchObject({ ...item.end, runId: item.runId })
        }
      }),
    )
  })

  it('has nothing of a run after its history was cleared', () => {
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

describe('the view after a handle has ended', () => {
  const runId = 'run'
  const place = { format: FORMAT, conversationId: 'c', runId, at: 1, appendId: 'a' } as const
  const message = { id: 'm', parts: [{ type: 'text' as const, text: 'Go.' }] }
  const limits = { maxSteps: 10, retries: 3 }
  const begun: StreamItem = {
    ...place,
    seq: 1,
    type: 'run-started',
    parentId: null,
    message,
    limits,
  }
  const ownedBy = (ownership: Ownership): Delta => ({ type: 'ownership-changed', ownership })
  const writes: readonly Delta[] = [
    { type: 'attempt-started', runId, step: 1, attempt: 1, messageId: 'm2' },
    { type: 'text-start', runId, step: 1, attempt: 1, partId: 'p' },
    { type: 'text-delta', runId, step: 1, attempt: 1, partId: 'p', delta: 'Half' },
  ]
  const left = (reason: string, of = runId): Delta => ({
    type: 'run-left',
    runId: of,
    outcome: { outcome: 'aborted', reason },
  })
  const shownAfter = (...items: StreamItem[]) => {
    const { state, live } = items.reduce(see, NOTHING_SEEN)
    return view(state, live)
  }

  it.each(['disposed', 'taken-over', 'deleted'])('shows no end of a run that is %s', (reason) => {
    const before = shownAfter(begun, ownedBy('none'))
    const items = [begun, ownedBy('this-tab'), ...writes, left(reason), ownedBy('none')]
    expect(shownAfter(...items)).toEqual(before)
    expect(before.runId).toBe(runId)
  })

  it('shows the text of a run that another tab drives', () => {
    const items = [begun, ownedBy('other-tab'), ...writes]
    expect(shownAfter(...items, left('taken-over'))).toEqual(shownAfter(...items))
    expect(shownAfter(...items, left('disposed', 'refused'))).toEqual(shownAfter(...items))
  })

  it('shows nothing of a run that never began beside one that is driven here', () => {
    const progress: Delta = { type: 'tool-progress', runId, path: ['c'], progress: 1 }
    const items = [begun, ownedBy('this-tab'), progress]
    const [before, after] = [items, [...items, left('disposed', 'queued')]].map((each) =>
      each.reduce<typeof NOTHING_SEEN>(see, NOTHING_SEEN),
    )
    expect(after).toEqual(before)
    expect(shownAfter(...items, ...writes, left('disposed', 'queued'))).toEqual(
      shownAfter(...items, ...writes),
    )
  })

  it('shows nothing of a run that never began and waited for the storage', () => {
    const reason = 'storage-full'
    const waits: Delta = { type: 'storage-waits', runId, reason, message }
    expect(shownAfter(waits)).toMatchObject({ status: 'waiting', runId })
    expect(shownAfter(waits, left('disposed'))).toEqual(shownAfter())
  })

  it('shows the end of a run that could not be stored', () => {
    const items = [begun, ownedBy('this-tab'), ...writes, left('enough'), ownedBy('none')]
    expect(shownAfter(...items)).toMatchObject({ status: 'idle', ended: { reason: 'enough' } })
  })
})
