import type { Row } from '../protocol/fact.ts'
import type { ContextRow, ConversationState } from '../protocol/state.ts'
import type { Taint } from '../protocol/taint.ts'
import { contextOn } from './context.ts'
import { sourcesOf, TaintWalk } from './taint-walk.ts'

const NONE: readonly Taint[] = []

type Path = ConversationState['path']
type Rows = readonly ContextRow[]

interface Known {
  readonly path: Path
  readonly walk: TaintWalk
  readonly taint: readonly Taint[]
}

const known = new WeakMap<Rows, Known>()

/**
 * Taint of the next request: untrusted content in it, and content derived from that (answers of the model, summaries,
 * the plan). One entry per origin, oldest first. Cached for the same state.
 */
export function taintOf(state: ConversationState): readonly Taint[] {
  const rows = contextOn(state)
  if (state.taintBefore) return taintSince(state.taintBefore, rows)
  return rows.some(taints) ? walkOf(state.path, rows).taint : NONE
}

/** Taint of the request that a model message came from. */
export function taintOfRequest(state: ConversationState, messageId: string): readonly Taint[] {
  const rows = contextOn(state)
  if (!rows.some(taints)) return NONE
  return walkOf(state.path, rows).walk.requestOf(messageId) ?? taintOf(state)
}

/** Whether a windowed state is tainted. It knows its taint only as a whole, not by message. */
export function isTaintedInWhole({ taintBefore, context }: ConversationState): boolean {
  if (taintBefore === undefined) return false
  const { seq, taint } = taintBefore
  return taint.length > 0 || context.some((row) => row.seq > seq && taints(row))
}

/** Whether the row may remove taint. */
export function mayUntaint({ type }: Pick<Row, 'type'>): boolean {
  return UNTAINTING.has(type) || type.startsWith('skill-')
}

const UNTAINTING: ReadonlySet<Row['type']> = new Set([
  'results-cleared',
  'compacted',
  'descriptions-taken-in',
])

function taints(row: ContextRow): boolean {
  return sourcesOf(row).length > 0
}

function walkOf(path: Path, rows: Rows): Known {
  const before = known.get(rows)
  if (before?.path === path) return before
  const walk = new TaintWalk(path, rows)
  const found = walk.taint
  const taint = before && isSame(before.taint, found) ? before.taint : found
  const now = { path, walk, taint }
  known.set(rows, now)
  return now
}

/** Taint of a windowed state: the stored taint, and new origins since. The messages to compute it again are missing. */
function taintSince(
  { seq, taint }: NonNullable<ConversationState['taintBefore']>,
  rows: Rows,
): readonly Taint[] {
  const origins = new Set(taint.map(({ origin }) => origin))
  const more = rows.flatMap((row) => {
    if (row.seq <= seq) return []
    const fresh = sourcesOf(row).filter(({ origin }) => !origins.has(origin))
    for (const { origin } of fresh) origins.add(origin)
    return fresh
  })
  return more.length > 0 ? [...taint, ...more] : taint
}

function isSame(one: readonly Taint[], other: readonly Taint[]): boolean {
  return one.length === other.length && one.every((taint, at) => taint === other[at])
}
