import type { ContextRow, ConversationState, MessageNode } from '../protocol/state.ts'
import type { Taint } from '../protocol/taint.ts'
import { contextOn, isOpenItem, contextLayout } from './context.ts'
import { NONE, sourcesOf, taints } from './tree.ts'

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
export function nextRequestTaint(state: ConversationState): readonly Taint[] {
  const rows = contextOn(state)
  if (state.taintBefore) return taintSince(state.taintBefore, rows)
  return rows.some(taints) ? walkOf(state.path, rows).taint : NONE
}

/** Taint of the request that a model message came from. */
export function taintOfRequest(state: ConversationState, messageId: string): readonly Taint[] {
  const rows = contextOn(state)
  if (!rows.some(taints)) return NONE
  return walkOf(state.path, rows).walk.requestOf(messageId) ?? nextRequestTaint(state)
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

/** Oldest active taint of each origin. */
type Origins = ReadonlyMap<string, Taint>

const NO_ORIGINS: Origins = new Map()

/** Untrusted content at a place of the path: in the result of a call, or in the message itself. */
interface Brought {
  readonly place: number
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
  readonly #places = new Map<string, number>()
  /** Rows so far that change what is sent. */
  readonly #layoutRows: ContextRow[] = []
  readonly #brought: Brought[] = []
  /** Taint of the model's messages, by place in the path. */
  readonly #derived: Origins[] = []
  readonly #summaries = new Map<ContextRow, Origins>()
  readonly #skills = new Map<string, Taint>()
  /** Origins of the tool descriptions in the next request. */
  #described: Origins = NO_ORIGINS
  #plan: Origins = NO_ORIGINS
  #length = 0
  #now: Origins = NO_ORIGINS
  #isCurrent = true

  constructor(path: readonly MessageNode[], rows: readonly ContextRow[]) {
    this.#path = path
    this.#rows = rows
    path.forEach(({ id }, place) => this.#places.set(id, place))
    let at = 0
    for (const node of path) {
      for (let row = rows[at]; row && row.seq < node.seq; row = rows[++at]) this.#takeRow(row)
      if (isDerived(node)) this.#derived[this.#length] = this.#current()
      this.#length += 1
    }
    for (const row of rows.slice(at)) this.#takeRow(row)
  }

  /** Taint of the next request, oldest first. */
  get taint(): readonly Taint[] {
    return listOf(this.#current())
  }

  /** Taint of the request that a model message came from. Undefined if there is no such message. */
  requestOf(messageId: string): readonly Taint[] | undefined {
    const origins = this.#derived[this.#places.get(messageId) ?? -1]
    return origins && listOf(origins)
  }

  #takeRow(row: ContextRow): void {
    switch (row.type) {
      case 'context-tainted':
        return this.#bring(row)
      case 'skill-activated':
      case 'skill-dropped':
        return this.#takeSkill(row)
      case 'descriptions-changed':
        return this.#describe(row)
      case 'plan-changed':
        this.#plan = row.plan.some(isOpenItem) ? this.#atHead(row) : NO_ORIGINS
        this.#isCurrent = false
        return
      case 'compacted':
        // The summary is made of everything the model was sent, so it inherits all of that taint.
        this.#summaries.set(row, row.summary === '' ? NO_ORIGINS : this.#atHead(row))
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

  #bring(row: Extract<ContextRow, { readonly type: 'context-tainted' }>): void {
    const [taint] = sourcesOf(row)
    if (!taint) return
    // Taint of a fork or an import (`after` is null) holds on all branches, even if results are cleared. Its `path` is
    // only informative.
    const callId = row.after === null ? undefined : row.path?.[0]
    this.#brought.push({ place: this.#placeOf(row.after), callId, taint })
    this.#now = withTaint(this.#current(), taint)
  }

  #takeSkill(row: Extract<ContextRow, { readonly type: `skill-${string}` }>): void {
    const [taint] = sourcesOf(row)
    if (taint) this.#skills.set(row.name, taint)
    else this.#skills.delete(row.name)
    this.#isCurrent = false
  }

  /** Replaces the origins of tool descriptions. Origins that were already described keep their time. */
  #describe(row: Extract<ContextRow, { readonly type: 'descriptions-changed' }>): void {
    const taints = sourcesOf(row).map((taint) => this.#described.get(taint.origin) ?? taint)
    this.#described = new Map(taints.map((taint) => [taint.origin, taint]))
    this.#isCurrent = false
  }

  /** Taint when the row was made. Its head may be further back on this path; content after that head is left out. */
  #atHead({ after, seq }: ContextRow): Origins {
    const head = after === null ? NOWHERE : this.#places.get(after)
    if (head === undefined || head + 1 === this.#length) return this.#current()
    const isHere = (id: string | null): boolean => this.#placeOf(id) <= head
    const rows = this.#rows.filter(
      (row) =>
        row.seq < seq && isHere(row.after) && (row.type !== 'compacted' || isHere(row.keptFrom)),
    )
    return new TaintWalk(this.#path.slice(0, head + 1), rows).#current()
  }

  #placeOf(id: string | null): number {
    return (id === null ? undefined : this.#places.get(id)) ?? NOWHERE
  }

  #current(): Origins {
    if (this.#isCurrent) return this.#now
    this.#isCurrent = true
    this.#now = this.#sent()
    return this.#now
  }

  /** Taint of everything the model would be sent now. */
  #sent(): Origins {
    const { cleared, segments } = contextLayout(
      this.#path.slice(0, this.#length),
      this.#layoutRows.slice(),
    )
    const left = new Set<number>()
    let found: Origins = union(NO_ORIGINS, this.#plan)
    for (const { start, end, row } of segments) {
      for (let place = start; place <= end; place++) left.add(place)
      found = union(found, this.#summaries.get(row) ?? NO_ORIGINS)
    }
    for (const taint of this.#skills.values()) found = withTaint(found, taint)
    found = union(found, this.#described)
    for (const { place, callId, taint } of this.#brought) {
      const isCleared = callId !== undefined && cleared.has(callId)
      if (!left.has(place) && !isCleared) found = withTaint(found, taint)
    }
    this.#derived.forEach((origins, place) => {
      if (!left.has(place)) found = union(found, origins)
    })
    return found
  }
}

/** Place of taint that belongs to no message. It stays as long as the history does. */
const NOWHERE = -1

/** Whether the model wrote the message, or the loop in response to it. */
function isDerived({ message }: MessageNode): boolean {
  return message.role === 'assistant' || (message.role === 'user' && message.synthetic === true)
}

function union(one: Origins, other: Origins): Origins {
  if (one === other || other.size === 0) return one
  let both = one
  for (const taint of other.values()) both = withTaint(both, taint)
  return both
}

function withTaint(origins: Origins, taint: Taint): Origins {
  const known = origins.get(taint.origin)
  if (known && known.at <= taint.at) return origins
  return new Map(origins).set(taint.origin, taint)
}

function listOf(origins: Origins): readonly Taint[] {
  return [...origins.values()].toSorted((one, other) => one.at - other.at)
}
