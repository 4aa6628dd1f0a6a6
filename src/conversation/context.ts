import type { FactType, PlanItem } from '../protocol/fact.ts'
import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'

type ContextOf<Type extends FactType> = Extract<ContextRow, { readonly type: Type }>

const known = new WeakMap<
  readonly ContextRow[],
  { readonly others: ConversationState['others']; readonly rows: readonly ContextRow[] }
>()

/** The context facts that apply to the head's branch, oldest first. The same state gives the same list. */
export function contextOn({ context, others }: ConversationState): readonly ContextRow[] {
  if (others.length === 0) return context
  const before = known.get(context)
  if (before?.others === others) return before.rows
  const elsewhere = new Set(others.map(({ id }) => id))
  const isHere = (id: string | null): boolean => id === null || !elsewhere.has(id)
  const rows = context.filter(
    (row) => isHere(row.after) && (row.type !== 'compacted' || isHere(row.keptFrom)),
  )
  known.set(context, { others, rows })
  return rows
}

/** The model's plan on this branch; null when there is none, or all its items are done. */
export function planOf(state: ConversationState): readonly PlanItem[] | null {
  const plan = contextOn(state).findLast(isPlan)?.plan
  return plan?.some(isOpenItem) ? plan : null
}

/** Whether any branch has a plan with open items. */
export function hasPlan({ context }: ConversationState): boolean {
  return context.some((row) => isPlan(row) && row.plan.some(isOpenItem))
}

export function isOpenItem({ status }: PlanItem): boolean {
  return status === 'pending' || status === 'in-progress'
}

function isPlan(row: ContextRow): row is ContextOf<'plan-changed'> {
  return row.type === 'plan-changed'
}

export type ActiveSkill = Extract<ContextRow, { readonly type: 'skill-activated' }>

/** The active skills on the head's branch, each as last stored, in the order of activation. */
export function activeSkills(state: ConversationState): readonly ActiveSkill[] {
  const skills = new Map<string, ActiveSkill>()
  for (const row of contextOn(state)) {
    if (row.type === 'skill-activated') skills.set(row.name, row)
    else if (row.type === 'skill-dropped') skills.delete(row.name)
  }
  return [...skills.values()]
}

export type Compacted = Extract<ContextRow, { readonly type: 'compacted' }>

/** Messages sent as one summary: a range of places in the path, both ends included. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly row: Compacted
  /** Whether the summary is sent here, rather than for an earlier part of the same range. */
  readonly hasSummary: boolean
  /** Places of instructions in the segment. They are sent unchanged. */
  readonly instructions: readonly number[]
}

/** How the messages sent to the model differ from the stored ones. */
export interface ContextLayout {
  /** Ids of calls whose results are replaced by a note. */
  readonly cleared: ReadonlySet<string>
  /** Ordered by path, without overlaps. */
  readonly segments: readonly Segment[]
}

interface Range {
  readonly start: number
  readonly end: number
  readonly row: Compacted
}

interface Known {
  readonly layout: ContextLayout
  /** The path's newest message when the layout was computed, and its place. */
  readonly newest: string | undefined
  readonly place: number
}

const layouts = new WeakMap<readonly ContextRow[], Known>()

/**
 * Returns the layout, cached until the rows change. A step's cost then doesn't grow with messages that are no longer
 * sent.
 */
export function contextLayout(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): ContextLayout {
  const before = layouts.get(rows)
  if (before && isBeginning(before, path)) return before.layout
  const places = new Map(path.map(({ id }, at) => [id, at]))
  const compacted = rows.filter((row): row is Compacted => row.type === 'compacted')
  const ranges = rangesOf(path, compacted, places)
  const layout = { cleared: clearedCalls(rows), segments: segmentsOf(path, ranges) }
  const place = path.length - 1
  // Messages that are missing here may be on a longer path, so the layout isn't final.
  if (compacted.every(({ from, to }) => places.has(from) && places.has(to)))
    layouts.set(rows, { layout, newest: path[place]?.id, place })
  return layout
}

/**
 * Whether the layout is still valid for this path. New messages change no place, but a tool result belongs to the
 * message before it.
 */
function isBeginning({ newest, place }: Known, path: readonly MessageNode[]): boolean {
  return newest !== undefined && path[place]?.id === newest && !isResult(path[place + 1])
}

/** Ids of calls whose results are cleared. Skips nested calls, which have no message of their own. */
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
  // The newest range comes last, so it wins where ranges overlap.
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

/** Ranges to leave out, oldest first. Drops ranges inside a newer one, which keeps the sum of their lengths flat. */
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

/** Range of a compaction, shrunk where it would separate a call from its result. No model server accepts that. */
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
