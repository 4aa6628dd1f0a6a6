import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'
import type { Taint } from '../protocol/taint.ts'
import { contextOn, isOpenItem, contextLayout } from './context.ts'
import { NO_TAINT, sourcesOf, taints } from './tree.ts'

type Path = ConversationState['path']
type Rows = readonly ContextRow[]

interface CachedWalk {
  readonly path: Path
  readonly walk: TaintWalk
  readonly taint: readonly Taint[]
}

const walkCache = new WeakMap<Rows, CachedWalk>()

/**
 * Taint of the next request: untrusted content in it, and content derived from that (answers of the model, summaries,
 * the plan). One entry per origin, oldest first. The same state gives the same list.
 */
export function nextRequestTaint(state: ConversationState): readonly Taint[] {
  const rows = contextOn(state)
  if (state.taintBefore) return taintSince(state.taintBefore, rows)
  return rows.some(taints) ? walkOf(state.path, rows).taint : NO_TAINT
}

/** Taint of the request that a model message came from. */
export function taintOfRequest(state: ConversationState, messageId: string): readonly Taint[] {
  const rows = contextOn(state)
  if (!rows.some(taints)) return NO_TAINT
  return walkOf(state.path, rows).walk.requestOf(messageId) ?? nextRequestTaint(state)
}

function walkOf(path: Path, rows: Rows): CachedWalk {
  const cached = walkCache.get(rows)
  if (cached?.path === path) return cached
  const walk = new TaintWalk(path, rows)
  const newTaint = walk.taint
  const taint = cached && isSameTaint(cached.taint, newTaint) ? cached.taint : newTaint
  const entry = { path, walk, taint }
  walkCache.set(rows, entry)
  return entry
}

/**
 * Taint of a windowed state: the stored taint, and origins added since. It can't be computed anew, because messages are
 * missing.
 */
function taintSince(
  { seq, taint }: NonNullable<ConversationState['taintBefore']>,
  rows: Rows,
): readonly Taint[] {
  const origins = new Set(taint.map(({ origin }) => origin))
  const added = rows.flatMap((row) => {
    if (row.seq <= seq) return []
    const newSources = sourcesOf(row).filter(({ origin }) => !origins.has(origin))
    for (const { origin } of newSources) origins.add(origin)
    return newSources
  })
  return added.length > 0 ? [...taint, ...added] : taint
}

function isSameTaint(a: readonly Taint[], b: readonly Taint[]): boolean {
  return a.length === b.length && a.every((taint, at) => taint === b[at])
}

/** Oldest active taint of each origin. */
type Origins = ReadonlyMap<string, Taint>

const NO_ORIGINS: Origins = new Map()

/** Untrusted content at an index of the path: in the result of a call, or in the message itself. */
interface TaintSource {
  readonly index: number
  readonly callId: string | undefined
  readonly taint: Taint
}

/**
 * Replays a branch to find its taint. Each message of the model inherits the taint of the model request that produced
 * it. The branch's messages and the context rows are replayed in the order in which they were stored.
 */
export class TaintWalk {
  readonly #path: readonly MessageNode[]
  readonly #rows: readonly ContextRow[]
  readonly #indexById = new Map<string, number>()
  /** Replayed rows that change which messages are sent. */
  readonly #layoutRows: ContextRow[] = []
  readonly #sources: TaintSource[] = []
  /** Taint of the model's messages, by index in the path. */
  readonly #derived: Origins[] = []
  readonly #summaries = new Map<ContextRow, Origins>()
  readonly #skills = new Map<string, Taint>()
  /** Origins of the tool descriptions in the next request. */
  #toolOrigins: Origins = NO_ORIGINS
  #plan: Origins = NO_ORIGINS
  #length = 0
  #cached: Origins = NO_ORIGINS
  #isCurrent = true

  constructor(path: readonly MessageNode[], rows: readonly ContextRow[]) {
    this.#path = path
    this.#rows = rows
    path.forEach(({ id }, index) => this.#indexById.set(id, index))
    let at = 0
    for (const node of path) {
      for (let row = rows[at]; row && row.seq < node.seq; row = rows[++at]) this.#applyRow(row)
      if (isDerived(node)) this.#derived[this.#length] = this.#current()
      this.#length += 1
    }
    for (const row of rows.slice(at)) this.#applyRow(row)
  }

  /** Taint of the next request, oldest first. */
  get taint(): readonly Taint[] {
    return listOf(this.#current())
  }

  /** Taint of the request that a model message came from. Undefined if there is no such message. */
  requestOf(messageId: string): readonly Taint[] | undefined {
    const origins = this.#derived[this.#indexById.get(messageId) ?? -1]
    return origins && listOf(origins)
  }

  #applyRow(row: ContextRow): void {
    switch (row.type) {
      case 'context-tainted':
        return this.#addSource(row)
      case 'skill-activated':
      case 'skill-dropped':
        return this.#applySkill(row)
      case 'descriptions-changed':
        return this.#replaceToolOrigins(row)
      case 'plan-changed':
        this.#plan = row.plan.some(isOpenItem) ? this.#taintAt(row) : NO_ORIGINS
        this.#isCurrent = false
        return
      case 'compacted':
        // The summary was made from the whole request, so it inherits the request's taint.
        this.#summaries.set(row, row.summary === '' ? NO_ORIGINS : this.#taintAt(row))
        this.#layoutRows.push(row)
        this.#isCurrent = false
        return
      case 'results-cleared':
        this.#layoutRows.push(row)
        this.#isCurrent = false
        return
      case 'memory-retrieved':
        return
      default:
        row satisfies never
    }
  }

  #addSource(row: Extract<ContextRow, { readonly type: 'context-tainted' }>): void {
    const [taint] = sourcesOf(row)
    if (!taint) return
    // Taint of a fork or an import (`after` is null) applies to all branches, even if results are cleared. Its `path`
    // is for display only.
    const callId = row.after === null ? undefined : row.path?.[0]
    this.#sources.push({ index: this.#indexOf(row.after), callId, taint })
    this.#cached = withTaint(this.#current(), taint)
  }

  #applySkill(row: Extract<ContextRow, { readonly type: `skill-${string}` }>): void {
    const [taint] = sourcesOf(row)
    if (taint) this.#skills.set(row.name, taint)
    else this.#skills.delete(row.name)
    this.#isCurrent = false
  }

  /** Replaces the origins of tool descriptions. Origins that were already in the list keep their time. */
  #replaceToolOrigins(row: Extract<ContextRow, { readonly type: 'descriptions-changed' }>): void {
    const taints = sourcesOf(row).map((taint) => this.#toolOrigins.get(taint.origin) ?? taint)
    this.#toolOrigins = new Map(taints.map((taint) => [taint.origin, taint]))
    this.#isCurrent = false
  }

  /**
   * Taint when the row was made. If the head was then an earlier message of this path, leaves out the content after
   * that message.
   */
  #taintAt({ after, seq }: ContextRow): Origins {
    const head = after === null ? NO_INDEX : this.#indexById.get(after)
    if (head === undefined || head + 1 === this.#length) return this.#current()
    const isUpToHead = (id: string | null): boolean => this.#indexOf(id) <= head
    const rows = this.#rows.filter(
      (row) =>
        row.seq < seq &&
        isUpToHead(row.after) &&
        (row.type !== 'compacted' || isUpToHead(row.keptFrom)),
    )
    return new TaintWalk(this.#path.slice(0, head + 1), rows).#current()
  }

  #indexOf(id: string | null): number {
    return (id === null ? undefined : this.#indexById.get(id)) ?? NO_INDEX
  }

  #current(): Origins {
    if (this.#isCurrent) return this.#cached
    this.#isCurrent = true
    this.#cached = this.#computeTaint()
    return this.#cached
  }

  /** Taint of everything the model would be sent now. */
  #computeTaint(): Origins {
    const { cleared, segments } = contextLayout(
      this.#path.slice(0, this.#length),
      this.#layoutRows.slice(),
    )
    const omitted = new Set<number>()
    let result: Origins = union(NO_ORIGINS, this.#plan)
    for (const { start, end, row } of segments) {
      for (let index = start; index <= end; index++) omitted.add(index)
      result = union(result, this.#summaries.get(row) ?? NO_ORIGINS)
    }
    for (const taint of this.#skills.values()) result = withTaint(result, taint)
    result = union(result, this.#toolOrigins)
    for (const { index, callId, taint } of this.#sources) {
      const isCleared = callId !== undefined && cleared.has(callId)
      if (!omitted.has(index) && !isCleared) result = withTaint(result, taint)
    }
    this.#derived.forEach((origins, index) => {
      if (!omitted.has(index)) result = union(result, origins)
    })
    return result
  }
}

/** Index of taint that belongs to no message. Such taint stays until the history is cleared. */
const NO_INDEX = -1

/** Whether the model wrote the message, or the loop in response to it. */
function isDerived({ message }: MessageNode): boolean {
  return message.role === 'assistant' || (message.role === 'user' && message.synthetic === true)
}

function union(a: Origins, b: Origins): Origins {
  if (a === b || b.size === 0) return a
  let merged = a
  for (const taint of b.values()) merged = withTaint(merged, taint)
  return merged
}

function withTaint(origins: Origins, taint: Taint): Origins {
  const existing = origins.get(taint.origin)
  if (existing && existing.at <= taint.at) return origins
  return new Map(origins).set(taint.origin, taint)
}

function listOf(origins: Origins): readonly Taint[] {
  return [...origins.values()].toSorted((a, b) => a.at - b.at)
}
