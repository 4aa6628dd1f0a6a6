import type { LockState } from './lease-messages.ts'

export interface Ranked {
  readonly id: string
  /** Above those of all requests that were known when it was made. */
  readonly ticket: number
}

/** Whether the request was made first, as far as messages show; requests at the same time go by their ids. */
export function precedes(one: Ranked, other: Ranked): boolean {
  return one.ticket === other.ticket ? one.id < other.id : one.ticket < other.ticket
}

/**
 * Which of two that hold the same lock keeps it. The store refuses what the lower epoch appends, whatever
 * is decided here; else the later one knew of the earlier one and took over; else it is arbitrary, and the
 * same on both sides.
 */
export function prevails(one: LockState, other: LockState): boolean {
  if (one.epoch !== null && other.epoch !== null && one.epoch !== other.epoch) {
    return one.epoch > other.epoch
  }
  return one.term === other.term ? one.id < other.id : one.term > other.term
}
