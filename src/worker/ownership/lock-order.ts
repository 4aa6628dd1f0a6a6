import type { LockState } from './lease-messages.ts'

export interface Ranked {
  readonly id: string
  /** Higher than the tickets of all requests known when this one was made. */
  readonly ticket: number
}

/** Whether the request was made first. Simultaneous requests are ordered by their ids. */
export function precedes(one: Ranked, other: Ranked): boolean {
  return one.ticket === other.ticket ? one.id < other.id : one.ticket < other.ticket
}

/**
 * Whether `one` keeps a lock that both hold. The higher epoch wins, because the store refuses appends of the lower
 * one. Otherwise the higher term wins: it knew of the other holder and took over. Otherwise the ids decide, so
 * that both sides agree.
 */
export function prevails(one: LockState, other: LockState): boolean {
  if (one.epoch !== null && other.epoch !== null && one.epoch !== other.epoch) {
    return one.epoch > other.epoch
  }
  return one.term === other.term ? one.id < other.id : one.term > other.term
}
