import type { AgentMemory, RetrieveContext } from '../client/memory.ts'
import { randomId } from '../lib/random-id.ts'
import { OffstageError } from '../protocol/error.ts'
import { shown, type RememberedEntry, type StoredEntry } from './entry.ts'
import { memoryTools } from './memory-tools.ts'
import { rowsFor, type MemoryOptions } from './options.ts'
import { spaceName, type Where } from './scope.ts'
import { Space } from './space.ts'

export interface KeptMemoryOptions extends MemoryOptions {
  /** Whether the model gets the tools `remember` and `forget`. Default true. */
  readonly tools?: boolean
  /** Whether what a person writes is remembered of itself. Never what tools return. Default false. */
  readonly writeBack?: boolean
  /** Of one scope; the oldest are forgotten. Default 10 000. */
  readonly maxEntries?: number
}

/** What is remembered, and what a person may do with it. Rejections are `OffstageError`s. */
export interface Memory extends AgentMemory {
  /** One text or several, of 2000 characters at most (else `invalid-input`). What is there already isn't added. */
  remember(text: string | readonly string[], where?: Where): Promise<readonly RememberedEntry[]>
  /** Resolves to how many of these there were. */
  forget(ids: readonly string[], where?: Where): Promise<number>
  /** Newest first. */
  list(where?: Where): Promise<readonly RememberedEntry[]>
  /** Best first. Default `limit`: 20. */
  search(
    query: string,
    options?: Where & { readonly limit?: number },
  ): Promise<readonly RememberedEntry[]>
  /** All entries as JSON Lines, oldest first: `{ id, text, at }`, `at` in milliseconds since 1970. */
  export(where?: Where): Promise<string>
  /** Forgets everything of the scope. Resolves to how many entries there were. */
  clear(where?: Where): Promise<number>
}

/** How a kind of memory finds entries, best first. */
export interface Finder {
  find(space: Space, query: string, signal?: AbortSignal): Promise<readonly StoredEntry[]>
  /** Before new entries are stored. */
  complete?(entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
}

const MAX_TEXT = 2_000
const SEARCH_LIMIT = 20

/** A memory over a store of entries. */
export function keptMemory(options: KeptMemoryOptions, finder: Finder): Memory {
  const { scope = 'origin', maxEntries = 10_000, tools = true, writeBack = false } = options
  const rows = rowsFor(options)
  const spaces = new Map<string, Space>()
  const at = (where?: Where): { name: string; space: Space } => {
    const name = spaceName(scope, where)
    const space = spaces.get(name) ?? new Space(name, rows)
    spaces.set(name, space)
    return { name, space }
  }
  const newestFirst = async (where?: Where): Promise<StoredEntry[]> =>
    [...(await at(where).space.entries()).values()].sort(byAge)

  const memory: Memory = {
    async retrieve(query, { conversationId, limit, signal }: RetrieveContext) {
      const where = { conversationId }
      const found = await finder.find(at(where).space, query, signal)
      // After the search: it would find itself.
      if (writeBack) await memory.remember(query.slice(0, MAX_TEXT), where).catch(() => undefined)
      return found.slice(0, limit)
    },
    async remember(text, where) {
      const { name, space } = at(where)
      const texts = (typeof text === 'string' ? [text] : text).map(checked)
      const known = new Map([...(await space.entries()).values()].map((each) => [each.text, each]))
      const now = nextTime(known.values())
      const fresh = [...new Set(texts)]
        .filter((each) => !known.has(each))
        .map((each, place) => ({ space: name, id: randomId(), text: each, at: now + place / 1000 }))
      if (fresh.length > 0) {
        const put = (await finder.complete?.(fresh)) ?? fresh
        const surplus = known.size + put.length - maxEntries
        const oldest = surplus > 0 ? (await newestFirst(where)).slice(-surplus) : []
        await space.change(() => ({ put, remove: oldest.map(({ id }) => id) }))
        for (const entry of put) known.set(entry.text, entry)
      }
      return texts.flatMap((each) => known.get(each) ?? []).map(shown)
    },
    async forget(ids, where) {
      const wanted = [...new Set(ids)]
      const { remove = [] } = await at(where).space.change(async (read) => {
        const found = await Promise.all(wanted.map(read))
        return { remove: wanted.filter((_, place) => found[place] !== undefined) }
      })
      return remove.length
    },
    list: async (where) => (await newestFirst(where)).map(shown),
    async search(query, { limit = SEARCH_LIMIT, ...where } = {}) {
      return (await finder.find(at(where).space, query)).slice(0, limit).map(shown)
    },
    async export(where) {
      const entries = (await newestFirst(where)).reverse()
      return entries.map((entry) => `${JSON.stringify(shown(entry))}\n`).join('')
    },
    async clear(where) {
      const ids = [...(await at(where).space.entries()).keys()]
      return memory.forget(ids, where)
    },
    ...(tools && { tools: memoryTools(() => memory) }),
  }
  return memory
}

/** Milliseconds since 1970; entries of one millisecond have their order, too. */
function nextTime(known: Iterable<StoredEntry>): number {
  let newest = 0
  for (const { at } of known) newest = Math.max(newest, at)
  return Math.max(Date.now(), newest + 0.001)
}

function byAge(one: StoredEntry, other: StoredEntry): number {
  return other.at - one.at || (one.id < other.id ? -1 : 1)
}

function checked(text: string): string {
  const trimmed = String(text).trim()
  if (trimmed !== '' && trimmed.length <= MAX_TEXT) return trimmed
  throw new OffstageError(
    'invalid-input',
    `What is remembered must have 1 to ${MAX_TEXT} characters; this has ${trimmed.length}.`,
  )
}
