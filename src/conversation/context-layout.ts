import type { ContextRow, MessageNode } from '../protocol/state.ts'

export type Compacted = Extract<ContextRow, { readonly type: 'compacted' }>

/** Messages that are sent as one summary, by their places in the path; both ends inclusive. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly row: Compacted
  /** The summary is sent here. False: it is sent for an earlier part of the same range. */
  readonly hasSummary: boolean
  /** Places of instructions, which hold as they were given. */
  readonly instructions: readonly number[]
}

/** What the context rows have sent otherwise than it is stored. */
export interface ContextLayout {
  /** Calls whose results are a note. */
  readonly cleared: ReadonlySet<string>
  /** In their order, none over another. */
  readonly segments: readonly Segment[]
}

interface Range {
  readonly start: number
  readonly end: number
  readonly row: Compacted
}

interface Known {
  readonly layout: ContextLayout
  /** The path's newest message when it was found, and its place. */
  readonly newest: string | undefined
  readonly place: number
}

const known = new WeakMap<readonly ContextRow[], Known>()

/** Found once for each change of the rows, so that a step's cost doesn't grow with what is no longer sent. */
export function contextLayout(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): ContextLayout {
  const before = known.get(rows)
  if (before && isBeginning(before, path)) return before.layout
  const places = new Map(path.map(({ id }, at) => [id, at]))
  const compacted = rows.filter((row): row is Compacted => row.type === 'compacted')
  const ranges = rangesOf(path, compacted, places)
  const layout = { cleared: clearedCalls(rows), segments: segmentsOf(path, ranges) }
  const place = path.length - 1
  // What isn't on this path may be on a longer one.
  if (compacted.every(({ from, to }) => places.has(from) && places.has(to)))
    known.set(rows, { layout, newest: path[place]?.id, place })
  return layout
}

/** What has come since changes no place; but a result belongs to the message before it. */
function isBeginning({ newest, place }: Known, path: readonly MessageNode[]): boolean {
  return newest !== undefined && path[place]?.id === newest && !isResult(path[place + 1])
}

/** Calls nested in others have no message of their own. */
function clearedCalls(rows: readonly ContextRow[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const row of rows) {
    if (row.type !== 'results-cleared') continue
    for (const [id, ...nested] of row.paths)
      if (id !== undefined && nested.length === 0) ids.add(id)
  }
  return ids
}

function segmentsOf(path: readonly MessageNode[], ranges: readonly Range[]): readonly Segment[] {
  const rangeAt = new Map<number, Range>()
  // Where ranges overlap, the newest counts, and comes last.
  for (const range of ranges) {
    for (let at = range.start; at <= range.end; at++) rangeAt.set(at, range)
  }
  const places = [...rangeAt.keys()].toSorted((one, other) => one - other)
  const sent = new Set<Range>()
  const segments: Segment[] = []
  for (let at = 0; at < places.length;) {
    const start = places[at] ?? 0
    const range = rangeAt.get(start)
    if (!range) break
    const instructions: number[] = []
    let end = start
    for (; rangeAt.get(end) === range; end++)
      if (path[end]?.message.role === 'system') instructions.push(end)
    at += end - start
    segments.push({
      start,
      end: end - 1,
      row: range.row,
      hasSummary: !sent.has(range),
      instructions,
    })
    sent.add(range)
  }
  return segments
}

/** What is to be left out, oldest first, without ranges that a newer one covers: so their sum stays flat. */
function rangesOf(
  path: readonly MessageNode[],
  compacted: readonly Compacted[],
  places: ReadonlyMap<string, number>,
): readonly Range[] {
  const ranges: Range[] = []
  for (const row of compacted.toReversed()) {
    const range = rangeOf(row, path, places)
    if (range && !ranges.some((newer) => newer.start <= range.start && range.end <= newer.end)) {
      ranges.push(range)
    }
  }
  return ranges.toReversed()
}

/** Shrunk where it would part a call from its result, which no model server accepts. */
function rangeOf(
  row: Compacted,
  path: readonly MessageNode[],
  places: ReadonlyMap<string, number>,
): Range | null {
  let start = places.get(row.from)
  let end = places.get(row.to)
  if (start === undefined || end === undefined) return null
  while (isResult(path[start])) start++
  while (isResult(path[end + 1])) end--
  return start <= end ? { start, end, row } : null
}

function isResult(node: MessageNode | undefined): boolean {
  return node?.message.role === 'tool'
}
