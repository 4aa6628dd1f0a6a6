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
 * What taints the next request: words of others that it holds, and what was made of them (answers of the model that has
 * read them, summaries, the plan). One for each origin, oldest first; the same list for the same.
 */
export function taintOf(state: ConversationState): readonly Taint[] {
  const rows = contextOn(state)
  if (state.taintBefore) return taintSince(state.taintBefore, rows)
  return rows.some(taints) ? walkOf(state.path, rows).taint : NONE
}

/** What tainted the request that a message of the model came from. */
export function taintOfRequest(state: ConversationState, messageId: string): readonly Taint[] {
  const rows = contextOn(state)
  if (!rows.some(taints)) return NONE
  return walkOf(state.path, rows).walk.requestOf(messageId) ?? taintOf(state)
}

/** Of a state that is windowed: something taints it, and of what that was made isn't known in parts. */
export function isTaintedInWhole({ taintBefore, context }: ConversationState): boolean {
  if (taintBefore === undefined) return false
  const { seq, taint } = taintBefore
  return taint.length > 0 || context.some((row) => row.seq > seq && taints(row))
}

/** The row may end what taints. */
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

/** A windowed state lacks what it would take to find anew what taints it. */
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
