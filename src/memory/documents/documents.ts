import type { MemoryEntry, RetrieveContext } from '../../client/memory.ts'
import { oneByOne } from '../../lib/one-by-one.ts'
import { sleep } from '../../lib/sleep.ts'
import type { OffstageError } from '../../protocol/error.ts'
import type {
  DocumentMemoryOptions,
  DocumentPart,
  FoundOptions,
  IndexedDocument,
  IndexOptions,
  IndexReport,
  SourcesChat,
} from '../document-options.ts'
import type { StoredEntry } from '../entry.ts'
import type { fused } from '../fused.ts'
import { nearest, vectorsOf } from '../vectors.ts'
import { DocumentStore, type Loaded, type StoredPart } from './document-store.ts'
import { indexSources } from './index-sources.ts'
import { showSources } from './show-sources.ts'

/** Most parts sent with one message: they are longer than other memories. */
const MOST_SENT = 4
const SEARCH_LIMIT = 20
/** Milliseconds that a message waits for the first index. Then it searches whatever is indexed. */
const PATIENCE_MS = 3_500

/** The documents of one list of sources: indexes, stores and searches them. */
export class Documents {
  readonly #options: DocumentMemoryOptions
  readonly #store: DocumentStore
  readonly #fused: typeof fused
  readonly #inOrder = oneByOne()
  #first: Promise<IndexReport> | undefined
  readonly #reported = new Set<string>()

  constructor(options: DocumentMemoryOptions, loaded: Loaded) {
    this.#options = options
    this.#fused = loaded.fused
    this.#store = new DocumentStore(loaded)
  }

  index(options: IndexOptions = {}): Promise<IndexReport> {
    const indexing = this.#inOrder(async () => {
      const report = await indexSources(this.#store, this.#options, options)
      // Loads the word index ahead: else the page's first search would wait for it.
      await this.#store.find('')
      return report
    })
    this.#first ??= indexing
    indexing.catch(() => {
      if (this.#first === indexing) this.#first = undefined
    })
    return indexing
  }

  async retrieve(query: string, { limit, signal, warn }: RetrieveContext): Promise<MemoryEntry[]> {
    const update = (): Promise<void> =>
      (this.#first ?? this.index()).then(
        ({ failed }) => this.#report(failed, warn),
        (error: OffstageError) => this.#report([{ name: '', error }], warn),
      )
    const isEmpty = (await this.#store.parts()).length === 0
    if (isEmpty) await Promise.race([update(), sleep(PATIENCE_MS)])
    const found = await this.#find(query, signal, (error) =>
      this.#report([{ name: '', error }], warn),
    )
    // Not awaited: reading all sources would slow the search. The next message sees the changes.
    if (!isEmpty) void update()
    return withSources(found.slice(0, Math.min(limit, MOST_SENT)))
  }

  /** Searches the documents. An empty query returns the first part of each. */
  async search(
    query: string,
    { limit = SEARCH_LIMIT, signal }: FoundOptions = {},
  ): Promise<DocumentPart[]> {
    await (this.#first ?? this.index())
    const parts = query
      ? await this.#find(query, signal)
      : (await this.#store.parts()).filter(({ document }) => document.at === 0)
    return parts.slice(0, limit).map((part) => this.#shown(part))
  }

  async documents(): Promise<IndexedDocument[]> {
    return [...(await this.#store.byName())].map(([name, parts]) => ({
      name,
      title: parts[0]?.source.title ?? name,
      ...(parts[0]?.source.url !== undefined && { url: parts[0].source.url }),
      parts: parts.length,
      at: parts[0]?.at ?? 0,
    }))
  }

  showSources(chat: SourcesChat): void {
    showSources(chat)
  }

  /** Waits for running indexing, then removes all. Resolves to the number of documents removed. */
  clear(): Promise<number> {
    return this.#inOrder(async () => {
      const { size } = await this.#store.byName()
      await this.#store.replace(() => true, [])
      this.#first = undefined
      return size
    })
  }

  /** Searches by words, and by vectors if there is `embed`. If `embed` fails, by words alone. */
  async #find(
    query: string,
    signal?: AbortSignal,
    onFailure?: (error: OffstageError) => void,
  ): Promise<StoredPart[]> {
    const { embed, model = '' } = this.#options
    const byWords = await this.#store.find(query)
    if (!embed) return byWords.map((part) => this.#marked(part))
    let byVector: readonly StoredEntry[] = []
    try {
      const [vector] = await vectorsOf(embed, [query], signal)
      byVector = nearest(await this.#store.parts(), { model, vector })
    } catch (thrown) {
      if (signal?.aborted) throw thrown
      onFailure?.(thrown as OffstageError)
    }
    return (this.#fused([byWords, byVector], ({ id }) => id) as StoredPart[]).map((part) =>
      this.#marked(part),
    )
  }

  #marked(part: StoredPart): StoredPart {
    const { trusted } = this.#options
    return trusted ? part : { ...part, untrusted: true }
  }

  #shown({ id, text, source, document }: StoredPart): DocumentPart {
    return {
      id,
      text,
      source,
      name: document.name,
      ...(!this.#options.trusted && { untrusted: true }),
    }
  }

  /** Warns once for each failure. */
  #report(failed: IndexReport['failed'], warn: RetrieveContext['warn']): void {
    for (const { error } of failed) {
      if (this.#reported.has(error.message)) continue
      this.#reported.add(error.message)
      warn(error.message)
    }
  }
}

/** Entries to send. Each source is named only once, with its heading. */
function withSources(parts: readonly StoredPart[]): MemoryEntry[] {
  const named = new Set<string>()
  return parts.map(({ id, text, untrusted, source: { title, heading, url } }) => {
    const source = {
      title: heading ? `${title} › ${heading}` : title,
      ...(url !== undefined && { url }),
    }
    const key = JSON.stringify(source)
    const isNamed = named.has(key)
    named.add(key)
    return { id, text, ...(untrusted && { untrusted }), ...(!isNamed && { source }) }
  })
}
