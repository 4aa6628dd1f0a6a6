import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowed } from '../../../src/conversation/checkpoint.ts'
import {
  joinCursor,
  projectDelta,
  projectFact,
  startCursor,
  type Cursor,
  type Projection,
} from '../../../src/conversation/project.ts'
import { isUnfinished } from '../../../src/protocol/run.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import { isRow, type StreamItem } from '../../../src/protocol/notices.ts'
import { NOTHING_SEEN, see, streams, type Seen } from './support.ts'

function project(cursor: Cursor, item: StreamItem, seen: readonly [Seen, Seen]): Projection {
  const moment = { state: seen[1].state, live: seen[0].live }
  return isRow(item) ? projectFact(cursor, item, moment) : projectDelta(cursor, item, moment)
}

/** The events of a run, from its start. */
function eventsOf(items: readonly StreamItem[], runId: string): RunEventBody[] {
  let cursor = startCursor(runId)
  let seen = NOTHING_SEEN
  return items.flatMap((item) => {
    const next = see(seen, item)
    const { cursor: moved, events } = project(cursor, item, [seen, next])
    cursor = moved
    seen = next
    return events
  })
}

function runsOf(items: readonly StreamItem[]): string[] {
  return [...new Set(items.flatMap((item) => ('runId' in item && item.runId ? item.runId : [])))]
}

describe('the events of a run', () => {
  it('are in the allowed order', () => {
    fc.assert(
      fc.property(streams, (items) => {
        for (const runId of runsOf(items)) {
          const events = eventsOf(items, runId)
          const types = events.map(({ type }) => type)
          expect(types.slice(0, -1)).not.toContain('run-end')
          expect(types.lastIndexOf('run-start')).toBeLessThanOrEqual(types.indexOf('run-start'))
          const results = events.flatMap((event) =>
            event.type === 'tool-result' ? event.toolCallId : [],
          )
          expect(new Set(results).size).toBe(results.length)
          expectStepEnds(events)
        }
      }),
    )
  })

  it('have a cursor that a joining page can resume from at any point', () => {
    fc.assert(
      fc.property(streams, (items) => {
        let seen = NOTHING_SEEN
        let cursor: Cursor | null = null
        for (const item of items) {
          const next = see(seen, item)
          if (isRow(item) && item.type === 'run-started') cursor = startCursor(item.runId ?? '')
          if (cursor !== null) cursor = project(cursor, item, [seen, next]).cursor
          seen = next
          // Behind its end, whoever joins begins with another handle.
          if (cursor?.isOver) cursor = null
          if (cursor !== null) expect(joinCursor(seen, cursor.runId)).toStrictEqual(cursor)
        }
      }),
    )
  })

  it('continue for a joining page as for all others', () => {
    fc.assert(
      fc.property(streams, fc.nat(600), fc.integer({ min: 1, max: 60 }), (items, at, window) => {
        let whole = NOTHING_SEEN
        let joined: Seen | null = null
        const cursors = new Map<string, Cursor>()
        const late = new Map<string, Cursor>()
        for (const [index, item] of items.entries()) {
          const next = see(whole, item)
          const after: Seen | null = joined === null ? null : see(joined, item)
          for (const runId of runsOf([item])) {
            const cursor = cursors.get(runId)
            // After a run was left and resumed, another handle gets its events.
            const known =
              cursor?.isOver === false
                ? cursor
                : cursor
                  ? joinCursor(whole, runId)
                  : startCursor(runId)
            const full = project(known, item, [whole, next])
            cursors.set(runId, full.cursor)
            if (joined === null || after === null) continue
            const own = late.get(runId)
            const lateCursor = own?.isOver === false ? own : joinCursor(joined, runId)
            const seen = project(lateCursor, item, [joined, after])
            late.set(runId, seen.cursor)
            expect(seen.events).toStrictEqual(full.events)
          }
          whole = next
          joined = after
          if (index === Math.min(at, Math.floor(items.length / 2)) || after?.state.isStale)
            joined = structuredClone({ state: windowed(whole.state, window), live: whole.live })
        }
      }),
    )
  })
})

/** Each behind its step's results, and before the next step begins or the run ends. */
function expectStepEnds(events: readonly RunEventBody[]): void {
  const open = new Set<string>()
  let isStepOpen = false
  for (const [index, event] of events.entries()) {
    if (event.type === 'tool-call') {
      open.add(event.toolCallId)
      isStepOpen = true
    }
    if (event.type === 'tool-result') open.delete(event.toolCallId)
    if (event.type === 'step-end') {
      if (!restsAt(events[index + 1])) expect([...open]).toEqual([])
      isStepOpen = false
    }
    if (event.type === 'step-start' || event.type === 'run-end') expect(isStepOpen).toBe(false)
  }
}

/** An end that leaves calls as they are: the new owner resumes them. */
function restsAt(event: RunEventBody | undefined): boolean {
  if (event?.type !== 'run-end') return false
  const { result } = event
  return result.outcome === 'waiting' || isUnfinished(result)
}
