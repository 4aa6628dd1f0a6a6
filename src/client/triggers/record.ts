export const MINUTE_MS = 60_000
export const HOUR_MS: number = 60 * MINUTE_MS

/** Most firings that are stored. Older ones are dropped. */
export const MOST_FIRINGS = 500

/** A firing of a trigger. */
export interface Firing {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Identifies the event or time. */
  readonly key: string | undefined
  readonly messageId: string
  readonly conversationId: string
  /** `open`: it isn't known whether the message was stored. `empty`: there was nothing to do. */
  readonly state: 'open' | 'started' | 'empty'
}

/** Stored state of a trigger, for all tabs. */
export interface TriggerRecord {
  /** Start of the first interval, until the trigger has fired. Milliseconds since 1970. */
  readonly since: number
  readonly firings: readonly Firing[]
  readonly isDisabled?: boolean
}

/** Reads a record. Times in the future, due to a clock that was set back, become now. */
export function readRecord(
  { firings, since, ...rest }: TriggerRecord = { since: Infinity, firings: [] },
): TriggerRecord {
  const now = Date.now()
  const past = firings.map((firing) => ({ ...firing, at: Math.min(firing.at, now) }))
  return { ...rest, since: Math.min(since, now), firings: past.slice(-MOST_FIRINGS) }
}

/** Returns when an interval is over. */
export function dueAt({ since, firings }: TriggerRecord, every: number): number {
  return Math.max(since, firings.at(-1)?.at ?? 0) + every
}

/** Returns why a trigger must not fire now: it is disabled, another page was first, or the limit is reached. */
export function refusal(
  record: TriggerRecord,
  { at, key }: Firing,
  { every, perHour }: { readonly every?: number | undefined; readonly perHour: number },
): 'taken' | 'over-limit' | undefined {
  const { firings, isDisabled } = record
  const isTaken = key !== undefined && firings.some((firing) => firing.key === key)
  if (isDisabled || isTaken || (every && at < dueAt(record, every))) return 'taken'
  const recent = firings.filter((each) => each.state !== 'empty' && each.at > at - HOUR_MS)
  return recent.length < perHour ? undefined : 'over-limit'
}

/** Stores the outcome of a firing. Null removes the firing, as if it had not happened. */
export function settle(
  record: TriggerRecord,
  messageId: string,
  state: Firing['state'] | null,
): TriggerRecord {
  const firings = record.firings.flatMap((firing) => {
    if (firing.messageId !== messageId) return firing
    return state ? { ...firing, state } : []
  })
  return { ...record, firings }
}
