import { cleanName } from '../client/clean-name.ts'
import type { Consumable, RegisteredTool } from './model-context.ts'
import type { CheckedOptions } from './options.ts'
import { type PageTool, type Reading, readPageTool, sameDefinition } from './page-tool.ts'
import { pageWide } from '../lib/page-wide.ts'

/** At one time. More is no page's need. */
const MAX_TOOLS = 200
/** With those that are gone, whose names and definitions stay known: a script that registers without end is stopped here. */
const MAX_KNOWN = 2000

/** What one link knows of a tool of the page, from its first sight on. */
export interface Entry {
  /** As the model knows it. */
  readonly name: string
  /** Where the page registered it. */
  readonly window: unknown
  readonly pageName: string
  readonly seen: SeenTool
  /** The definition that counts; none while all that was seen was no use. */
  pinned?: PageTool
  /** Another one, which doesn't count yet. */
  changed?: PageTool
  problem?: string
  isThere: boolean
}

/** A tool of the page, and what became of it. */
export interface WebMcpTool {
  /** As the model knows it. */
  readonly name: string
  /** As the page named it. */
  readonly pageName: string
  /**
   * `changed`: not offered until its new definition is accepted. `refused`: it can't be used, as `problem` says.
   * `gone`: the page no longer has it.
   */
  readonly status: 'offered' | 'changed' | 'refused' | 'gone'
  /** The one that counts. */
  readonly definition?: PageTool
  /** One that doesn't count yet. */
  readonly changed?: PageTool
  readonly problem?: string
}

export function statusOf({ isThere, problem, changed }: Entry): WebMcpTool['status'] {
  if (!isThere) return 'gone'
  if (problem !== undefined) return 'refused'
  return changed ? 'changed' : 'offered'
}

/** Where the page is trusted, what it changes counts at once, and is no one else's pin. */
export function bookOf(context: Consumable, { prefix, trusted }: CheckedOptions): ToolBook {
  return new ToolBook(prefix, trusted ? [] : seenTools(context, prefix))
}

/**
 * All tools that the page had, by window and name. A name of the model's belongs to one of them for good, and the
 * definition that was seen first counts until another is accepted: by this book, or before it was made by another one
 * of the page (`seen`).
 */
export class ToolBook {
  readonly #prefix: string
  readonly #seen: SeenTool[]
  readonly #entries: Entry[] = []

  constructor(prefix: string, seen: SeenTool[]) {
    this.#prefix = prefix
    this.#seen = seen
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  shown(): WebMcpTool[] {
    return this.#entries.map((entry) => {
      const { name, pageName, pinned, changed, problem } = entry
      return {
        name,
        pageName,
        status: statusOf(entry),
        ...(pinned && { definition: pinned }),
        ...(changed && { changed }),
        ...(problem !== undefined && { problem }),
      }
    })
  }

  /** The definition that it changed to counts from now on. False: there is none. */
  accept(entry: Entry): boolean {
    if (!entry.changed) return false
    entry.pinned = entry.changed
    entry.seen.pinned = entry.changed
    delete entry.changed
    return true
  }

  /** Notes what is there now. `wants` says which of it to look at. */
  update(listed: readonly RegisteredTool[], wants: (tool: PageTool) => boolean): void {
    const there = new Set<Entry>()
    for (const given of listed) {
      const reading = readPageTool(given)
      if ('tool' in reading && !wants(reading.tool)) continue
      if (there.size >= MAX_TOOLS) break
      const entry = this.find(given) ?? this.#add(given, reading)
      if (!entry) continue
      there.add(entry)
      note(entry, reading)
    }
    for (const entry of this.#entries) entry.isThere = there.has(entry)
  }

  find({ name, window }: RegisteredTool): Entry | undefined {
    return this.#entries.find((entry) => entry.pageName === name && entry.window === window)
  }

  #add({ name: pageName, window }: RegisteredTool, reading: Reading): Entry | undefined {
    const where = 'tool' in reading && reading.tool.isElsewhere ? 'frame_' : ''
    let seen = this.#seen.find((each) => each.pageName === pageName && each.isIn(window))
    if (!seen) {
      if (this.#seen.length >= MAX_KNOWN) return undefined
      const name = this.#freeName(`${this.#prefix}${where}${pageName}`)
      seen = seenTool(name, pageName, window)
      this.#seen.push(seen)
    }
    const { name, pinned } = seen
    const entry: Entry = { name, window, pageName, seen, isThere: true, ...(pinned && { pinned }) }
    this.#entries.push(entry)
    return entry
  }

  #freeName(wanted: string): string {
    const isTaken = (name: string): boolean => this.#seen.some((each) => each.name === name)
    const clean = cleanName(wanted)
    if (!isTaken(clean)) return clean
    for (let number = 2; ; number++) {
      const numbered = `${clean.slice(0, 59)}_${number}`
      if (!isTaken(numbered)) return numbered
    }
  }
}

function note(entry: Entry, reading: Reading): void {
  delete entry.changed
  delete entry.problem
  if ('problem' in reading) entry.problem = reading.problem
  else {
    const pinned = (entry.pinned ??= entry.seen.pinned ??= reading.tool)
    if (!sameDefinition(pinned, reading.tool)) entry.changed = reading.tool
  }
}

/** What is known of a tool as long as the page lasts, whichever link saw it. */
interface SeenTool {
  /** As the model knows it: another tool never gets the name. */
  readonly name: string
  readonly pageName: string
  /** Whether it is the tool of that window, which may have gone. */
  isIn(window: unknown): boolean
  /** The definition that was seen first, or accepted last. */
  pinned?: PageTool
}

/** By whose tools they are, and by prefix. */
const seen: Map<Consumable, Map<string, SeenTool[]>> = pageWide('webmcp-seen', () => new Map())

/** A component that is mounted again finds what the page's tools were. */
function seenTools(context: Consumable, prefix: string): SeenTool[] {
  const ofContext = seen.get(context) ?? new Map<string, SeenTool[]>()
  seen.set(context, ofContext)
  const tools = ofContext.get(prefix) ?? []
  ofContext.set(prefix, tools)
  return tools
}

function seenTool(name: string, pageName: string, window: unknown): SeenTool {
  // A frame that is removed is not kept in memory.
  const held =
    typeof window === 'object' && window !== null ? new WeakRef(window) : { deref: () => window }
  return { name, pageName, isIn: (other) => held.deref() === other }
}
