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
  describeScope,
  openEntryStore,
  spaceName,
  type Where,
  type Written,
} from './options.ts'
import { type Space, spacesIn } from './space.ts'
import type { Change } from './rows.ts'
import { fuseRankings } from './fused.ts'
import { loadMemoryPart } from './memory-part.ts'
import type { Embed } from './vectors.ts'

/** Options of `recentMemory` and `keywordMemory`, all optional. */
export interface KeptMemoryOptions extends MemoryOptions {
  /** Whether the model gets the tools `remember`, `recall` and `forget`. Default true. */
  readonly tools?: boolean
  /**
   * Whether the person's messages are remembered automatically, with the answers. `'questions'`: without the answers.
   * Never includes messages from a model that calls the agent. Entries are `untrusted` if the conversation is tainted.
   * Default false.
   */
  readonly writeBack?: boolean | 'questions'
  /** Maximum entries of one scope. Beyond it, the oldest are forgotten. Default 10 000. */
  readonly maxEntries?: number
}

/** Remembered entries, and methods to manage them. Rejections are `OffstageError`s. */
export interface Memory extends AgentMemory {
  /**
   * Remembers one or several texts, each of at most 2000 characters (otherwise `invalid-input`). Texts already
   * remembered aren't added again. Resolves to the entries of these texts. If there are more texts than `maxEntries`,
   * only the newest are kept.
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
  /** Adds data to new entries, such as vectors, before they are stored. */
  complete?(entries: readonly StoredEntry[]): Promise<readonly StoredEntry[]>
}

const SEARCH_LIMIT = 20

/** A memory over a store of entries. */
function createMemory(options: KeptMemoryOptions, finder: Finder): Memory {
  const { scope = 'origin', maxEntries = 10_000, tools = true, writeBack = false } = options
  const spaces = spacesIn(openEntryStore(options))
  const spaceOf = (where?: Where): { name: string; space: Space } => {
    const name = spaceName(scope, where)
    return { name, space: spaces(name) }
  }
  const newestFirst = (where?: Where): Promise<StoredEntry[]> =>
    entriesNewestFirst(spaceOf(where).space)

  const memory: Memory = {
    ...(writeBack === true && { connect: (agent) => keepAnswers(memory, agent) }),
    async retrieve(query, context) {
      const { conversationId, limit, signal } = context
      const { space } = spaceOf({ conversationId })
      const found = await (finder.forMessage?.(space) ?? finder.find(space, query, signal))
      // Remembered after the search, or the message would find itself.
      if (writeBack) await keepMessage(memory, query, context)
      return found.slice(0, limit)
    },
    async remember(text, where) {
      const { name, space } = spaceOf(where)
      const texts = (typeof text === 'string' ? [text] : text).map(checkText)
      const entriesByText = indexByText(await space.entries())
      let missing: readonly string[] = texts.filter((each) => !entriesByText.has(each))
      const fresh: StoredEntry[] = []
      for (;;) {
        const newEntries = [...new Set(missing)].map((each) => newEntry(name, each, where))
        // Completing entries may take long, and others may write meanwhile. Therefore `change` decides afterwards which
        // entries to add.
        if (newEntries.length > 0)
          fresh.push(...((await finder.complete?.(newEntries)) ?? newEntries))
        const plan = await space.change((entries) =>
          planRemember(entries, { texts, fresh, maxEntries, now: Date.now() }),
        )
        if (plan.missing.length === 0)
          return texts.flatMap((each) => plan.byText.get(each) ?? []).map(toRememberedEntry)
        missing = plan.missing
      }
    },
    async forget(ids, where) {
      const { remove } = await spaceOf(where).space.change((entries) => ({
        remove: [...new Set(ids)].filter((id) => entries.has(id)),
      }))
      return remove.length
    },
    list: async (where) => (await newestFirst(where)).map(toRememberedEntry),
    async search(query, { limit = SEARCH_LIMIT, ...where } = {}) {
      return (await finder.find(spaceOf(where).space, query)).slice(0, limit).map(toRememberedEntry)
    },
    async export(where) {
      const entries = (await newestFirst(where)).reverse()
      return entries.map((entry) => `${JSON.stringify(toRememberedEntry(entry))}\n`).join('')
    },
    async clear(where) {
      const { remove } = await spaceOf(where).space.change((entries) => ({
        remove: [...entries.keys()],
      }))
      return remove.length
    },
  }
  return tools ? withTools(memory, [targetOf(memory, options)]) : memory
}

/** Makes the memory available to the agent's memory tools. */
function targetOf(memory: Memory, options: MemoryOptions): MemoryTarget {
  const { scope = 'origin', storage = DEFAULT_STORAGE } = options
  return {
    ...describeScope(scope),
    key: storage === 'memory' ? memory : `${storage.name}\n${JSON.stringify(scope)}`,
    async remember(text, where) {
      const [entry] = await memory.remember(text, where)
      return entry?.id ?? ''
    },
    recall: (query, where) => (query ? memory.search(query, where) : memory.list(where)),
    forget: memory.forget,
  }
}

async function entriesNewestFirst(space: Space): Promise<StoredEntry[]> {
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
  const where = { conversationId, untrusted: tainted }
  await memory.remember(message.slice(0, MAX_TEXT), where).catch(() => undefined)
}

/** Adds answers to remembered questions when runs end. If a run fails, its question stays without an answer. */
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

function checkText(text: string): string {
  const trimmed = String(text).trim()
  if (trimmed !== '' && trimmed.length <= MAX_TEXT) return trimmed
  throw badInput(`A memory must have 1 to ${MAX_TEXT} characters; this has ${trimmed.length}.`)
}

interface RememberRequest {
  /** Texts in order, duplicates included. */
  readonly texts: readonly string[]
  /** New entries for texts that weren't remembered yet. `planRemember` sets their times. */
  readonly fresh: readonly StoredEntry[]
  readonly maxEntries: number
  /** Milliseconds since 1970. */
  readonly now: number
}

interface RememberPlan extends Change {
  /** Entries of the texts after the change, by text. */
  readonly byText: ReadonlyMap<string, StoredEntry>
  /** Texts that still need an entry. Nothing is stored while any are missing. */
  readonly missing: readonly string[]
}

/**
 * Plans which entries to store, and which to forget to make room. Forgets the oldest first, and entries of these texts
 * last.
 */
function planRemember(
  entries: ReadonlyMap<string, StoredEntry>,
  { texts, fresh, maxEntries, now }: RememberRequest,
): RememberPlan {
  const entriesByText = indexByText(entries)
  const preparedTexts = new Set(fresh.map(({ text }) => text))
  const missing = texts.filter((text) => !entriesByText.has(text) && !preparedTexts.has(text))
  if (missing.length > 0) return { put: [], remove: [], byText: entriesByText, missing }
  const firstAt = nextTime(entriesByText.values(), now)
  const added = fresh
    .filter(({ text }) => !entriesByText.has(text))
    .map((entry, index) => ({ ...entry, at: firstAt + index / 1000 }))
  const requested = new Set(texts)
  const isRequested = (entry: StoredEntry): boolean => requested.has(entry.text)
  const existing = [...entries.values()].sort(byAge).reverse()
  const forgetOrder = [
    ...existing.filter((entry) => !isRequested(entry)),
    ...existing.filter(isRequested),
    ...added,
  ]
  const surplus = new Set(forgetOrder.slice(0, Math.max(0, forgetOrder.length - maxEntries)))
  const isKept = (entry: StoredEntry): boolean => !surplus.has(entry)
  return {
    put: added.filter(isKept),
    remove: existing.filter((entry) => !isKept(entry)).map(({ id }) => id),
    byText: indexByText(new Map(forgetOrder.filter(isKept).map((entry) => [entry.id, entry]))),
    missing: [],
  }
}

function indexByText(entries: ReadonlyMap<string, StoredEntry>): Map<string, StoredEntry> {
  return new Map([...entries.values()].map((entry) => [entry.text, entry]))
}

/** Sorts entries, newest first. */
function byAge(a: StoredEntry, b: StoredEntry): number {
  return b.at - a.at || (a.id < b.id ? -1 : 1)
}

/** Time for the next entry. Fractions keep the order of entries within one millisecond. */
function nextTime(entries: Iterable<StoredEntry>, now: number): number {
  let newest = 0
  for (const { at } of entries) newest = Math.max(newest, at)
  return Math.max(now, newest + 0.001)
}

const KEYWORD_FINDER: Finder = { find: (space, query) => space.find(query) }

const loadVectors = () => loadMemoryPart(() => import('./vectors.ts'))

/** Finds the newest entries, whatever the message says. */
export function recentMemory(options: KeptMemoryOptions = {}): Memory {
  return createMemory(options, { ...KEYWORD_FINDER, forMessage: entriesNewestFirst })
}

/**
 * Finds entries that share words with the message, in any script. In Chinese, Japanese, Korean and Thai, pairs of
 * characters count as words.
 */
export function keywordMemory(options: KeptMemoryOptions = {}): Memory {
  return createMemory(options, KEYWORD_FINDER)
}

/** Options of `embeddingMemory`. Without `embed` and `model`, it throws `invalid-config`. */
export interface EmbeddingMemoryOptions extends KeptMemoryOptions {
  /** Called for entries and for messages. */
  readonly embed: Embed
  /** The model's name, stored with each vector. Vectors of different models are never compared. */
  readonly model: string
}

/**
 * Finds entries whose meaning is similar to the message, with your model's vectors, and entries that share words with
 * it. Entries without a vector of this model are found only by words.
 */
export function embeddingMemory({ embed, model, ...options }: EmbeddingMemoryOptions): Memory {
  if (typeof embed !== 'function' || !model)
    throw badConfig('embeddingMemory needs embed() and the name of its model.')
  return createMemory(options, {
    async find(space, query, signal) {
      const { nearest, vectorsOf } = await loadVectors()
      const [byWords, [vector]] = await Promise.all([
        space.find(query),
        vectorsOf(embed, [query], signal),
      ])
      const entries = await space.entries()
      return fuseRankings([byWords, nearest(entries.values(), { model, vector })], ({ id }) => id)
    },
    async complete(entries: readonly StoredEntry[]) {
      const { vectorsOf } = await loadVectors()
      const vectors = await vectorsOf(
        embed,
        entries.map(({ text }) => text),
      )
      return entries.flatMap((entry, at) => {
        const vector = vectors[at]
        return vector ? { ...entry, embedding: { model, vector } } : entry
      })
    },
  })
}
