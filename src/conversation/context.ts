import type { FactType, PlanItem } from '../protocol/fact.ts'
import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'

type ContextOf<Type extends FactType> = Extract<ContextRow, { readonly type: Type }>

const branchRows = new WeakMap<
  readonly ContextRow[],
  { readonly others: ConversationState['others']; readonly rows: readonly ContextRow[] }
>()

/** The context facts that apply to the head's branch, oldest first. The same state gives the same list. */
export function contextOn({ context, others }: ConversationState): readonly ContextRow[] {
  if (others.length === 0) return context
  const cached = branchRows.get(context)
  if (cached?.others === others) return cached.rows
  const offPathIds = new Set(others.map(({ id }) => id))
  const isOnBranch = (id: string | null): boolean => id === null || !offPathIds.has(id)
  const rows = context.filter(
    (row) => isOnBranch(row.after) && (row.type !== 'compacted' || isOnBranch(row.keptFrom)),
  )
  branchRows.set(context, { others, rows })
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

/** The active skills on the head's branch, in the order of activation. Each has its newest stored text. */
export function activeSkills(state: ConversationState): readonly ActiveSkill[] {
  const skills = new Map<string, ActiveSkill>()
  for (const row of contextOn(state)) {
    if (row.type === 'skill-activated') skills.set(row.name, row)
    else if (row.type === 'skill-dropped') skills.delete(row.name)
  }
  return [...skills.values()]
}

export type Compacted = Extract<ContextRow, { readonly type: 'compacted' }>

/** Messages sent as one summary: a range of indexes in the path, both ends included. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly row: Compacted
  /** Whether the summary is sent in place of this segment. False if an earlier segment of the same range has it. */
  readonly hasSummary: boolean
  /** Indexes of instructions in the segment. They are sent unchanged. */
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

interface CachedLayout {
  readonly layout: ContextLayout
  /** The path's newest message when the layout was computed, and its index. */
  readonly newest: string | undefined
  readonly index: number
}

const layouts = new WeakMap<readonly ContextRow[], CachedLayout>()

/**
 * Returns the layout, cached until the rows change. Thanks to the cache, messages that are no longer sent don't slow
 * down a step.
 */
export function contextLayout(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): ContextLayout {
  const cached = layouts.get(rows)
  if (cached && isLayoutValid(cached, path)) return cached.layout
  const indexById = new Map(path.map(({ id }, index) => [id, index]))
  const compacted = rows.filter((row): row is Compacted => row.type === 'compacted')
  const ranges = rangesOf(path, compacted, indexById)
  const layout = { cleared: clearedCalls(rows), segments: segmentsOf(path, ranges) }
  const lastIndex = path.length - 1
  // A longer path may contain the messages that are missing on this one, so a layout without them isn't cached.
  if (compacted.every(({ from, to }) => indexById.has(from) && indexById.has(to)))
    layouts.set(rows, { layout, newest: path[lastIndex]?.id, index: lastIndex })
  return layout
}

/**
 * Whether the layout is still valid for this path. New messages change no index. But a new tool result belongs to the
 * message before it, which may end a range.
 */
function isLayoutValid({ newest, index }: CachedLayout, path: readonly MessageNode[]): boolean {
  return newest !== undefined && path[index]?.id === newest && !isResult(path[index + 1])
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
  const indexes = [...rangeAt.keys()].toSorted((a, b) => a - b)
  const summarized = new Set<Range>()
  const segments: Segment[] = []
  for (let at = 0; at < indexes.length;) {
    const start = indexes[at] ?? 0
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
      hasSummary: !summarized.has(range),
      instructions,
    })
    summarized.add(range)
  }
  return segments
}

/**
 * Ranges to leave out, oldest first. Drops ranges inside a newer range. Otherwise, the sum of their lengths would grow
 * with each compaction.
 */
function rangesOf(
  path: readonly MessageNode[],
  compacted: readonly Compacted[],
  indexById: ReadonlyMap<string, number>,
): readonly Range[] {
  const ranges: Range[] = []
  for (const row of compacted.toReversed()) {
    const range = rangeOf(row, path, indexById)
    if (range && !ranges.some((newer) => newer.start <= range.start && range.end <= newer.end)) {
      ranges.push(range)
    }
  }
  return ranges.toReversed()
}

/**
 * Range of a compaction. Shrunk where it would separate a call from its result, because no model server accepts a call
 * without its result.
 */
function rangeOf(
  row: Compacted,
  path: readonly MessageNode[],
  indexById: ReadonlyMap<string, number>,
): Range | null {
  let start = indexById.get(row.from)
  let end = indexById.get(row.to)
  if (start === undefined || end === undefined) return null
  while (isResult(path[start])) start++
  while (isResult(path[end + 1])) end--
  return start <= end ? { start, end, row } : null
}

function isResult(node: MessageNode | undefined): boolean {
  return node?.message.role === 'tool'
}
