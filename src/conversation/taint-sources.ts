import type { Row } from '../protocol/fact.ts'
import type { ContextRow, ConversationState } from '../protocol/state.ts'
import type { Taint } from '../protocol/taint.ts'

export const NONE: readonly Taint[] = []

const sources = new WeakMap<ContextRow, readonly Taint[]>()

/** Untrusted content that the row adds to the context. Cached: a row always gives the same list. */
export function sourcesOf(row: ContextRow): readonly Taint[] {
  const before = sources.get(row)
  if (before) return before
  const found = findSources(row)
  if (found.length > 0) sources.set(row, found)
  return found
}

function findSources(row: ContextRow): readonly Taint[] {
  switch (row.type) {
    case 'untrusted-taken-in': {
      const { at, origin, path, title } = row
      return [{ origin, ...(path && { path }), ...(title !== undefined && { title }), at }]
    }
    case 'skill-activated': {
      const { at, loaded, name, path } = row
      return loaded ? [{ origin: originOfSkill(name), ...(path && { path }), at }] : NONE
    }
    case 'descriptions-taken-in':
      return row.origins.map((origin) => ({ origin, at: row.at }))
    default:
      return (row satisfies TrustedRow, NONE)
  }
}

/** Rows that add nothing untrusted by themselves. A new type of context row must be listed here or handled above. */
type TrustedRow = Extract<
  ContextRow,
  {
    readonly type:
      | 'results-cleared'
      | 'compacted'
      | 'skill-dropped'
      | 'plan-changed'
      | 'memory-retrieved'
  }
>

/** Origin of the taint from a skill that isn't part of the app's code. */
export function originOfSkill(name: string): string {
  return `skill ${name}`
}

/** Origin of the taint while tools of this source are described to the model. */
export function originOfTools(source: string): string {
  return `tools of ${source}`
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

export function taints(row: ContextRow): boolean {
  return sourcesOf(row).length > 0
}
