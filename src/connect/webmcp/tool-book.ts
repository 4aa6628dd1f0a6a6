import { cleanName } from '../../client/tools/clean-name.ts'
import type { Consumable, RegisteredTool } from './model-context.ts'
import type { CheckedOptions } from './options.ts'
import { type PageTool, type PageToolResult, readPageTool, sameDefinition } from './page-tool.ts'
import { getPageSingleton } from '../../lib/page-singleton.ts'
import { isPublished } from './published-names.ts'

/** Maximum tools at one time. No page needs more. */
const MAX_TOOLS = 200
/**
 * Maximum tools including removed ones, whose names and definitions are kept. Limits a script that registers tools
 * endlessly.
 */
const MAX_KNOWN = 2000

/** Record of one page tool since it was first seen. */
export interface Entry {
  /** Model name of the tool. */
  readonly name: string
  /** Window in which the page registered it. */
  readonly window: unknown
  readonly pageName: string
  readonly record: ToolRecord
  /** Accepted definition. Missing if every definition so far was invalid. */
  pinned?: PageTool
  /** Changed definition that is not accepted yet. */
  changed?: PageTool
  problem?: string
  isRegistered: boolean
}

/** A page's tool and its status. */
export interface WebMcpTool {
  /** Model name of the tool. */
  readonly name: string
  /** Name under which the page registered the tool. */
  readonly pageName: string
  /**
   * `changed`: not offered until the new definition is accepted. `refused`: unusable, see `problem`. `gone`: removed by
   * the page.
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
 * Makes the book for a context. Books share the definitions seen so far, except those that trust the page, which accept
 * every change.
 */
export function bookOf(context: Consumable, { prefix, trusted }: CheckedOptions): ToolBook {
  return new ToolBook(prefix, trusted ? [] : getRecords(context, prefix))
}

/**
 * All tools that the page has had, by window and name. Each keeps its model name forever. The definition first seen
 * counts until another is accepted, by this book or by an earlier one on this page (`records`).
 */
export class ToolBook {
  readonly #prefix: string
  readonly #records: ToolRecord[]
  readonly #entries: Entry[] = []

  constructor(prefix: string, records: ToolRecord[]) {
    this.#prefix = prefix
    this.#records = records
  }

  get entries(): readonly Entry[] {
    return this.#entries
  }

  list(): WebMcpTool[] {
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
    entry.record.pinned = entry.changed
    delete entry.changed
    return true
  }

  /** Records the tools that exist now. `isIncluded` filters them. */
  update(listed: readonly RegisteredTool[], isIncluded: (tool: PageTool) => boolean): void {
    const current = new Set<Entry>()
    for (const tool of listed) {
      const reading = readPageTool(tool)
      if ('tool' in reading && !isIncluded(reading.tool)) continue
      if (current.size >= MAX_TOOLS) break
      const entry = this.find(tool) ?? this.#add(tool, reading)
      if (!entry) continue
      current.add(entry)
      recordReading(entry, reading)
    }
    for (const entry of this.#entries) entry.isRegistered = current.has(entry)
  }

  find({ name, window }: RegisteredTool): Entry | undefined {
    return this.#entries.find((entry) => entry.pageName === name && entry.window === window)
  }

  #add({ name: pageName, window }: RegisteredTool, reading: PageToolResult): Entry | undefined {
    const framePrefix = 'tool' in reading && reading.tool.isElsewhere ? 'frame_' : ''
    let record = this.#records.find((each) => each.pageName === pageName && each.isIn(window))
    if (!record) {
      if (this.#records.length >= MAX_KNOWN) return undefined
      const name = this.#freeName(`${this.#prefix}${framePrefix}${pageName}`)
      record = createRecord(name, pageName, window)
      this.#records.push(record)
    }
    const { name, pinned } = record
    const entry: Entry = {
      name,
      window,
      pageName,
      record,
      isRegistered: true,
      ...(pinned && { pinned }),
    }
    this.#entries.push(entry)
    return entry
  }

  #freeName(preferred: string): string {
    const isTaken = (name: string): boolean => this.#records.some((each) => each.name === name)
    const clean = cleanName(preferred)
    if (!isTaken(clean)) return clean
    for (let number = 2; ; number++) {
      const numbered = `${clean.slice(0, 59)}_${number}`
      if (!isTaken(numbered)) return numbered
    }
  }
}

function recordReading(entry: Entry, reading: PageToolResult): void {
  delete entry.changed
  delete entry.problem
  if ('problem' in reading) entry.problem = reading.problem
  else {
    const pinned = (entry.pinned ??= entry.record.pinned ??= reading.tool)
    if (!sameDefinition(pinned, reading.tool)) entry.changed = reading.tool
  }
}

/** Record of a tool for the lifetime of the page, shared by all links. */
interface ToolRecord {
  /** Model name of the tool. No other tool ever gets it. */
  readonly name: string
  readonly pageName: string
  /** Whether the tool was registered in this window, which may be gone. */
  isIn(window: unknown): boolean
  /** Definition first seen, or last accepted. */
  pinned?: PageTool
}

/** Tools seen so far, by context and prefix. */
const seen: Map<Consumable, Map<string, ToolRecord[]>> = getPageSingleton(
  'webmcp-seen',
  () => new Map(),
)

/** Tools seen before in this context, for example by a component that is mounted again. */
function getRecords(context: Consumable, prefix: string): ToolRecord[] {
  const byPrefix = seen.get(context) ?? new Map<string, ToolRecord[]>()
  seen.set(context, byPrefix)
  const tools = byPrefix.get(prefix) ?? []
  byPrefix.set(prefix, tools)
  return tools
}

function createRecord(name: string, pageName: string, window: unknown): ToolRecord {
  // Held weakly, so that a removed frame can be garbage-collected.
  const windowRef =
    typeof window === 'object' && window !== null ? new WeakRef(window) : { deref: () => window }
  return { name, pageName, isIn: (other) => windowRef.deref() === other }
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
