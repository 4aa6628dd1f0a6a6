import type { AgentMemory, RememberingAgent, RetrieveContext } from '../client/features/memory.ts'
import { randomId } from '../lib/random-id.ts'
import { type RememberedEntry, toRememberedEntry, type StoredEntry } from './entry.ts'
import { type MemoryTarget, withTools } from './memory-tools.ts'
import {
  badConfig,
  badInput,
  DEFAULT_STORAGE,
  MAX_TEXT,
  type MemoryOptions,
  placeName,
  openEntryStore,
  spaceName,
  type Where,
  type Written,
} from './options.ts'
import { type Space, spacesIn } from './space.ts'
import type { Change } from './rows.ts'
import { fuseRankings } from './fused.ts'
import { memoryPart } from './memory-part.ts'
import type { Embed } from './vectors.ts'

/** Options of `recentMemory` and `keywordMemory`, all optional. */
export interface KeptMemoryOptions extends MemoryOptions {
  /** Whether the model gets the tools `remember`, `recall` and `forget`. Default true. */
  readonly tools?: boolean
  /**
   * Whether the person's messages are remembered automatically, with the answers; `'questions'`: without them. Never
   * includes messages from a model that calls the agent. Entries are `untrusted` if the conversation is tainted.
   * Default false.
   */
  readonly writeBack?: boolean | 'questions'
  /** Most entries of one scope; the oldest are forgotten. Default 10 000. */
  readonly maxEntries?: number
}

/** Remembered entries, and methods to manage them. Rejections are `OffstageError`s. */
export interface Memory extends AgentMemory {
  /**
   * Remembers one or several texts, each of 2000 characters at most (else `invalid-input`). Known texts aren't added
   * again. Resolves to the entries of these texts. If there are more texts than `maxEntries`, only the newest are kept.
   */
  remember(text: string | readonly string[], where?: Written): Promise<readonly RememberedEntry[]>
  /** Forgets entries. Resolves to the number that existed. */
  forget(ids: readonly string[], where?: Where): Promise<number>
  /** All entries, newest first. */
  list(where?: Where): Promise<readonly RememberedEntry[]>
  /** Matching entries, best first. Default `limit`: 20. */
  search(
    query: string,
    options?: Where & { readonly limit?: number },
  ): Promise<readonly RememberedEntry[]>
  /**
   * All entries as JSON Lines, oldest first: `{ id, text, at }`, some with `untrusted: true`. `at` is in milliseconds
   * since 1970.
   */
  export(where?: Where): Promise<string>
  /** Forgets everything in the scope. Resolves to the number of entries. */
  clear(where?: Where): Promise<number>
}

/** Finds entries for one kind of memory, best first. */
export interface Finder {
  find(space: Space, query: string, signal?: AbortSignal): Promise<readonly StoredEntry[]>
  /** Entries to send with a message. Default: the result of `find` for the message. */
  forMessage?(space: Space): Promise<readonly StoredEntry[]>
  /** Completes new entries before they are stored. */
  complete?(entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
}

const SEARCH_LIMIT = 20

/** A memory over a store of entries. */
function keptMemory(options: KeptMemoryOptions, finder: Finder): Memory {
  const { scope = 'origin', maxEntries = 10_000, tools = true, writeBack = false } = options
  const spaces = spacesIn(openEntryStore(options))
  const at = (where?: Where): { name: string; space: Space } => {
    const name = spaceName(scope, where)
    return { name, space: spaces(name) }
  }
  const newestFirst = (where?: Where): Promise<StoredEntry[]> => newest(at(where).space)

  const memory: Memory = {
    ...(writeBack === true && { connect: (agent) => keepAnswers(memory, agent) }),
    async retrieve(query, context) {
      const { conversationId, limit, signal } = context
      const { space } = at({ conversationId })
      const found = await (finder.forMessage?.(space) ?? finder.find(space, query, signal))
      // Remembered after the search, or the message would find itself.
      if (writeBack) await keepMessage(memory, query, context)
      return found.slice(0, limit)
    },
    async remember(text, where) {
      const { name, space } = at(where)
      const texts = (typeof text === 'string' ? [text] : text).map(checked)
      const known = textsOf(await space.entries())
      let missing: readonly string[] = texts.filter((each) => !known.has(each))
      const fresh: StoredEntry[] = []
      for (;;) {
        const made = [...new Set(missing)].map((each) => newEntry(name, each, where))
        // Completing entries may take long while others write, so `change` decides afterwards which ones to add.
        if (made.length > 0) fresh.push(...((await finder.complete?.(made)) ?? made))
        const decided = await space.change((entries) =>
          planRemember(entries, { texts, fresh, maxEntries, now: Date.now() }),
        )
        if (decided.missing.length === 0)
          return texts.flatMap((each) => decided.kept.get(each) ?? []).map(toRememberedEntry)
        missing = decided.missing
      }
    },
    async forget(ids, where) {
      const { remove } = await at(where).space.change((entries) => ({
        remove: [...new Set(ids)].filter((id) => entries.has(id)),
      }))
      return remove.length
    },
    list: async (where) => (await newestFirst(where)).map(toRememberedEntry),
    async search(query, { limit = SEARCH_LIMIT, ...where } = {}) {
      return (await finder.find(at(where).space, query)).slice(0, limit).map(toRememberedEntry)
    },
    async export(where) {
      const entries = (await newestFirst(where)).reverse()
      return entries.map((entry) => `${JSON.stringify(toRememberedEntry(entry))}\n`).join('')
    },
    async clear(where) {
      const { remove } = await at(where).space.change((entries) => ({
        remove: [...entries.keys()],
      }))
      return remove.length
    },
  }
  return tools ? withTools(memory, [placeOf(memory, options)]) : memory
}

/** The memory as the agent's memory tools read and write it. */
function placeOf(memory: Memory, options: MemoryOptions): MemoryTarget {
  const { scope = 'origin', storage = DEFAULT_STORAGE } = options
  return {
    ...placeName(scope),
    key: storage === 'memory' ? memory : `${storage.name}\n${JSON.stringify(scope)}`,
    async remember(text, written) {
      const [entry] = await memory.remember(text, written)
      return entry?.id ?? ''
    },
    recall: (query, where) => (query ? memory.search(query, where) : memory.list(where)),
    forget: memory.forget,
  }
}

async function newest(space: Space): Promise<StoredEntry[]> {
  return [...(await space.entries()).values()].sort(byAge)
}

/**
 * Remembers a person's message, untrusted if the conversation is tainted. Skips messages from a model that calls the
 * agent.
 */
async function keepMessage(
  memory: Pick<Memory, 'remember'>,
  message: string,
  { conversationId, writtenBy, tainted }: RetrieveContext,
): Promise<void> {
  if (writtenBy !== 'person') return
  const written = { conversationId, untrusted: tainted }
  await memory.remember(message.slice(0, MAX_TEXT), written).catch(() => undefined)
}

/** Adds answers to remembered questions when runs end. A question whose run fails stays without an answer. */
function keepAnswers(memory: Memory, agent: RememberingAgent): void {
  agent.on('run', ({ run }) => {
    import('./keep-answer.ts')
      .then(({ keepAnswer }) => keepAnswer(memory, agent, run))
      .catch(() => undefined)
  })
}

/** `at` is set when the entry is stored. */
function newEntry(space: string, text: string, { untrusted }: Written = {}): StoredEntry {
  return { space, id: randomId(), text, at: 0, ...(untrusted && { untrusted }) }
}

function checked(text: string): string {
  const trimmed = String(text).trim()
  if (trimmed !== '' && trimmed.length <= MAX_TEXT) return trimmed
  throw badInput(`A memory must have 1 to ${MAX_TEXT} characters; this has ${trimmed.length}.`)
}

interface ToRemember {
  /** Texts in order, duplicates included. */
  readonly texts: readonly string[]
  /** Entries for texts that weren't known. Their times are set here. */
  readonly fresh: readonly StoredEntry[]
  readonly maxEntries: number
  /** Milliseconds since 1970. */
  readonly now: number
}

interface Remembered extends Change {
  /** Entries of the texts after the change, by text. */
  readonly kept: ReadonlyMap<string, StoredEntry>
  /** Texts that still lack an entry. Nothing is stored until all have one. */
  readonly missing: readonly string[]
}

/**
 * Plans which entries to store and which to forget for them. Forgets the oldest first, and entries of these texts last.
 */
function planRemember(
  entries: ReadonlyMap<string, StoredEntry>,
  { texts, fresh, maxEntries, now }: ToRemember,
): Remembered {
  const known = textsOf(entries)
  const prepared = new Set(fresh.map(({ text }) => text))
  const missing = texts.filter((text) => !known.has(text) && !prepared.has(text))
  if (missing.length > 0) return { put: [], remove: [], kept: known, missing }
  const first = nextTime(known.values(), now)
  const added = fresh
    .filter(({ text }) => !known.has(text))
    .map((entry, place) => ({ ...entry, at: first + place / 1000 }))
  const named = new Set(texts)
  const isNamed = (entry: StoredEntry): boolean => named.has(entry.text)
  const present = [...entries.values()].sort(byAge).reverse()
  const inOrder = [
    ...present.filter((entry) => !isNamed(entry)),
    ...present.filter(isNamed),
    ...added,
  ]
  const surplus = new Set(inOrder.slice(0, Math.max(0, inOrder.length - maxEntries)))
  const stays = (entry: StoredEntry): boolean => !surplus.has(entry)
  return {
    put: added.filter(stays),
    remove: present.filter((entry) => !stays(entry)).map(({ id }) => id),
    kept: textsOf(new Map(inOrder.filter(stays).map((entry) => [entry.id, entry]))),
    missing: [],
  }
}

/** Entries by text. */
function textsOf(entries: ReadonlyMap<string, StoredEntry>): Map<string, StoredEntry> {
  return new Map([...entries.values()].map((entry) => [entry.text, entry]))
}

/** Sorts entries, newest first. */
function byAge(one: StoredEntry, other: StoredEntry): number {
  return other.at - one.at || (one.id < other.id ? -1 : 1)
}

/** Time for the next entry. Fractions keep the order of entries within one millisecond. */
function nextTime(known: Iterable<StoredEntry>, now: number): number {
  let newest = 0
  for (const { at } of known) newest = Math.max(newest, at)
  return Math.max(now, newest + 0.001)
}

const BY_WORDS: Finder = { find: (space, query) => space.find(query) }

const vectors = () => memoryPart(() => import('./vectors.ts'))

/** Finds the newest entries, whatever the message says. */
export function recentMemory(options: KeptMemoryOptions = {}): Memory {
  return keptMemory(options, { ...BY_WORDS, forMessage: newest })
}

/**
 * Finds entries that share words with the message, in any script. In Chinese, Japanese, Korean and Thai, pairs of
 * characters count as words.
 */
export function keywordMemory(options: KeptMemoryOptions = {}): Memory {
  return keptMemory(options, BY_WORDS)
}

/** Options of `embeddingMemory`. Without `embed` and `model`, it throws `invalid-config`. */
export interface EmbeddingMemoryOptions extends KeptMemoryOptions {
  /** Called for entries and for messages. */
  readonly embed: Embed
  /** The model's name, stored with each vector. Vectors of different models are never compared. */
  readonly model: string
}

/**
 * Finds entries with a similar meaning to the message, by your model's vectors, and entries that share words with it.
 * Entries without a vector of this model are found by words alone.
 */
export function embeddingMemory({ embed, model, ...options }: EmbeddingMemoryOptions): Memory {
  if (typeof embed !== 'function' || !model)
    throw badConfig('embeddingMemory needs embed() and the name of its model.')
  return keptMemory(options, {
    async find(space, query, signal) {
      const { nearest, vectorsOf } = await vectors()
      const [byWords, [vector]] = await Promise.all([
        space.find(query),
        vectorsOf(embed, [query], signal),
      ])
      const entries = await space.entries()
      return fuseRankings([byWords, nearest(entries.values(), { model, vector })], ({ id }) => id)
    },
    async complete(entries: readonly StoredEntry[]) {
      const { vectorsOf } = await vectors()
      const made = await vectorsOf(
        embed,
        entries.map(({ text }) => text),
      )
      return entries.flatMap((entry, at) => {
        const vector = made[at]
        return vector ? { ...entry, embedding: { model, vector } } : entry
      })
    },
  })
}
