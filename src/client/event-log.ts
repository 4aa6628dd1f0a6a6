import type { RunRef } from '../protocol/scope.ts'
import type { RunEvent, RunEventBody } from '../protocol/event.ts'

/**
 * The events of one run. Every iterator starts at the first event. Iteration ends after `close()` and never throws.
 * Adjacent unread deltas of one part are merged, so an unread run keeps one event per part.
 */
export interface EventLog {
  readonly entries: readonly RunEvent[]
  append(bodies: readonly RunEventBody[]): void
  close(): void
  iterate(): AsyncIterator<RunEvent, undefined>
}

export function createEventLog(ref: RunRef): EventLog {
  const entries: RunEvent[] = []
  /** Entries below this index have been read, and don't change any more. */
  let read = 0
  let closed = false
  let wake: () => void
  let changed: Promise<void>
  const change = (): void => {
    wake?.()
    changed = new Promise((resolve) => (wake = resolve))
  }
  change()

  const add = (body: RunEventBody): void => {
    const last = entries.at(-1)
    const merged = last && last.seq >= read && joined(last, body)
    const event = { ...body, ...ref, seq: merged ? merged.seq : entries.length }
    entries[event.seq] = merged || event
  }

  return {
    entries,
    append(bodies) {
      for (const body of bodies) add(body)
      change()
    },
    close() {
      closed = true
      change()
    },
    iterate() {
      let at = 0
      let detached = false
      return {
        async next() {
          while (!detached) {
            const value = entries[at]
            if (value) {
              read = Math.max(read, ++at)
              return { value, done: false }
            }
            if (closed) break
            await changed
          }
          return { value: undefined, done: true }
        },
        return() {
          detached = true
          change()
          return Promise.resolve({ value: undefined, done: true })
        },
      }
    },
  }
}

function joined(last: RunEvent, next: RunEventBody): RunEvent | false {
  switch (next.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return (
        last.type === next.type &&
        last.partId === next.partId && { ...last, delta: last.delta + next.delta }
      )
    case 'tool-input-delta':
      return (
        last.type === next.type &&
        last.toolCallId === next.toolCallId && { ...last, delta: last.delta + next.delta }
      )
    default:
      return false
  }
}
