import { cleanName } from '../../client/tools/clean-name.ts'
import type { Consumable, RegisteredTool } from './model-context.ts'
import type { CheckedOptions } from './options.ts'
import { type PageTool, type PageToolResult, readPageTool, sameDefinition } from './page-tool.ts'
import { getPageSingleton } from '../../lib/page-singleton.ts'
import { isPublished } from './published-names.ts'

/** Most tools at one time. No page needs more. */
const MAX_TOOLS = 200
/**
 * Most tools including removed ones, whose names and definitions are kept. Stops a script that registers tools
 * endlessly.
 */
const MAX_KNOWN = 2000

/** A link's record of one page tool, from the moment it was first seen. */
export interface Entry {
  /** Name that the model knows. */
  readonly name: string
  /** Window in which the page registered it. */
  readonly window: unknown
  readonly pageName: string
  readonly seen: SeenTool
  /** Accepted definition. Missing if every definition so far was invalid. */
  pinned?: PageTool
  /** Changed definition that is not accepted yet. */
  changed?: PageTool
  problem?: string
  isRegistered: boolean
}

/** A page's tool and its status. */
export interface WebMcpTool {
  /** Name that the model knows. */
  readonly name: string
  /** Name that the page registered. */
  readonly pageName: string
  /**
   * `changed`: not offered until its new definition is accepted. `refused`: unusable, see `problem`. `gone`: the page
   * has removed it.
   */
  readonly status: 'offered' | 'changed' | 'refused' | 'gone'
  /** Accepted definition. */
  readonly definition?: PageTool
  /** Changed definition that is not accepted yet. */
  readonly changed?: PageTool
  readonly problem?: string
}

export function statusOf({ isRegistered, problem, changed }: Entry): WebMcpTool['status'] {
  if (!isRegistered) return 'gone'
  if (problem !== undefined) return 'refused'
  return changed ? 'changed' : 'offered'
}

/**
 * Makes the book for a context. Links share the definitions that they have seen, except those that trust the page, which
 * accept every change.
 */
export function bookOf(context: Consumable, { prefix, trusted }: CheckedOptions): ToolBook {
  return new ToolBook(prefix, trusted ? [] : seenTools(context, prefix))
}

/**
 * All tools that the page has had, by window and name. Each keeps its model name forever. The definition first seen
 * counts until another is accepted, by this book or by an earlier one on this page (`seen`).
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

  /** Accepts the changed definition. Returns false if there is none. */
  accept(entry: Entry): boolean {
    if (!entry.changed) return false
    entry.pinned = entry.changed
    entry.seen.pinned = entry.changed
    delete entry.changed
    return true
  }

  /** Records the tools that exist now. `wants` filters them. */
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
    for (const entry of this.#entries) entry.isRegistered = there.has(entry)
  }

  find({ name, window }: RegisteredTool): Entry | undefined {
    return this.#entries.find((entry) => entry.pageName === name && entry.window === window)
  }

  #add({ name: pageName, window }: RegisteredTool, reading: PageToolResult): Entry | undefined {
    const where = 'tool' in reading && reading.tool.isElsewhere ? 'frame_' : ''
    let seen = this.#seen.find((each) => each.pageName === pageName && each.isIn(window))
    if (!seen) {
      if (this.#seen.length >= MAX_KNOWN) return undefined
      const name = this.#freeName(`${this.#prefix}${where}${pageName}`)
      seen = seenTool(name, pageName, window)
      this.#seen.push(seen)
    }
    const { name, pinned } = seen
    const entry: Entry = {
      name,
      window,
      pageName,
      seen,
      isRegistered: true,
      ...(pinned && { pinned }),
    }
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

function note(entry: Entry, reading: PageToolResult): void {
  delete entry.changed
  delete entry.problem
  if ('problem' in reading) entry.problem = reading.problem
  else {
    const pinned = (entry.pinned ??= entry.seen.pinned ??= reading.tool)
    if (!sameDefinition(pinned, reading.tool)) entry.changed = reading.tool
  }
}

/** Record of a tool for the lifetime of the page, shared by all links. */
interface SeenTool {
  /** Name that the model knows. Another tool never gets it. */
  readonly name: string
  readonly pageName: string
  /** Whether the tool was registered in that window, which may be gone. */
  isIn(window: unknown): boolean
  /** Definition first seen, or last accepted. */
  pinned?: PageTool
}

/** Tools seen so far, by context and prefix. */
const seen: Map<Consumable, Map<string, SeenTool[]>> = getPageSingleton(
  'webmcp-seen',
  () => new Map(),
)

/** Tools seen before in this context, for example by a component that is mounted again. */
function seenTools(context: Consumable, prefix: string): SeenTool[] {
  const ofContext = seen.get(context) ?? new Map<string, SeenTool[]>()
  seen.set(context, ofContext)
  const tools = ofContext.get(prefix) ?? []
  ofContext.set(prefix, tools)
  return tools
}

function seenTool(name: string, pageName: string, window: unknown): SeenTool {
  // A weak reference doesn't keep a removed frame in memory.
  const held =
    typeof window === 'object' && window !== null ? new WeakRef(window) : { deref: () => window }
  return { name, pageName, isIn: (other) => held.deref() === other }
}

/** The tools of this page and its same-origin frames, without debugging tools and those that Offstage published. */
export async function listTools(context: Consumable): Promise<readonly RegisteredTool[]> {
  const { location } = globalThis as { readonly location?: Location }
  const listed = await context.getTools()
  return listed.filter(
    (tool) =>
      typeof tool.name === 'string' &&
      (tool.origin === undefined || !location || tool.origin === location.origin) &&
      tool.annotations?.debugging !== true &&
      !isPublished(tool),
  )
}
