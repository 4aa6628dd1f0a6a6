import type { AgentMemory, RememberingAgent, RetrieveContext } from '../client/memory.ts'
import { randomId } from '../lib/random-id.ts'
import { OffstageError } from '../protocol/error.ts'
import { shown, type RememberedEntry, type StoredEntry } from './entry.ts'
import { type Place, withTools } from './memory-tools.ts'
import { DEFAULT_STORAGE, MAX_TEXT, rowsFor, type MemoryOptions } from './options.ts'
import { byAge, planRemember, textsOf } from './plan-remember.ts'
import { placeName, spaceName, type Where, type Written } from './scope.ts'
import { Space } from './space.ts'

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
   * Remembers one or several texts, of 2000 characters at most (else `invalid-input`). Known texts aren't added again.
   * Resolves to the entries of these texts: beyond `maxEntries`, only the last ones.
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
          return texts.flatMap((each) => decided.kept.get(each) ?? []).map(shown)
        missing = decided.missing
      }
    },
    async forget(ids, where) {
      const { remove } = await at(where).space.change((entries) => ({
        remove: [...new Set(ids)].filter((id) => entries.has(id)),
      }))
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
      const { remove } = await at(where).space.change((entries) => ({
        remove: [...entries.keys()],
      }))
      return remove.length
    },
  }
  return tools ? withTools(memory, [placeOf(memory, options)]) : memory
}

/** The memory as the agent's memory tools read and write it. */
function placeOf(memory: Memory, options: MemoryOptions): Place {
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

export async function newest(space: Space): Promise<StoredEntry[]> {
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
  throw new OffstageError(
    'invalid-input',
    `What is remembered must have 1 to ${MAX_TEXT} characters; this has ${trimmed.length}.`,
  )
}
