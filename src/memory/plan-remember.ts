import type { StoredEntry } from './entry.ts'
import type { Change } from './rows.ts'

interface ToRemember {
  /** Texts in order, duplicates included. */
  readonly texts: readonly string[]
  /** Entries for texts that weren't known. Their times are set here. */
  readonly fresh: readonly StoredEntry[]
  readonly maxEntries: number
  /** Milliseconds since 1970. */
  readonly now: number
}

interface Remembered extends Change {
  /** Entries of the texts after the change, by text. */
  readonly kept: ReadonlyMap<string, StoredEntry>
  /** Texts that still lack an entry. Nothing is stored until all have one. */
  readonly missing: readonly string[]
}

/**
 * Plans which entries to store and which to forget for them. Forgets the oldest first, and entries of these texts last.
 */
export function planRemember(
  entries: ReadonlyMap<string, StoredEntry>,
  { texts, fresh, maxEntries, now }: ToRemember,
): Remembered {
  const known = textsOf(entries)
  const prepared = new Set(fresh.map(({ text }) => text))
  const missing = texts.filter((text) => !known.has(text) && !prepared.has(text))
  if (missing.length > 0) return { put: [], remove: [], kept: known, missing }
  const first = nextTime(known.values(), now)
  const added = fresh
    .filter(({ text }) => !known.has(text))
    .map((entry, place) => ({ ...entry, at: first + place / 1000 }))
  const named = new Set(texts)
  const isNamed = (entry: StoredEntry): boolean => named.has(entry.text)
  const present = [...entries.values()].sort(byAge).reverse()
  const inOrder = [
    ...present.filter((entry) => !isNamed(entry)),
    ...present.filter(isNamed),
    ...added,
  ]
  const surplus = new Set(inOrder.slice(0, Math.max(0, inOrder.length - maxEntries)))
  const stays = (entry: StoredEntry): boolean => !surplus.has(entry)
  return {
    put: added.filter(stays),
    remove: present.filter((entry) => !stays(entry)).map(({ id }) => id),
    kept: textsOf(new Map(inOrder.filter(stays).map((entry) => [entry.id, entry]))),
    missing: [],
  }
}

/** Entries by text. */
export function textsOf(entries: ReadonlyMap<string, StoredEntry>): Map<string, StoredEntry> {
  return new Map([...entries.values()].map((entry) => [entry.text, entry]))
}

/** Sorts entries, newest first. */
export function byAge(one: StoredEntry, other: StoredEntry): number {
  return other.at - one.at || (one.id < other.id ? -1 : 1)
}

/** Time for the next entry. Fractions keep the order of entries within one millisecond. */
function nextTime(known: Iterable<StoredEntry>, now: number): number {
  let newest = 0
  for (const { at } of known) newest = Math.max(newest, at)
  return Math.max(now, newest + 0.001)
}
