import type { MemoryEntry, RetrieveContext } from '../../client/features/memory.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'
import { sleep } from '../../lib/sleep.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
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
import type { fuseRankings } from '../fused.ts'
import { nearest, vectorsOf } from '../vectors.ts'
import { DocumentStore, type Dependencies, type StoredPart } from './document-store.ts'
import type { Row } from '../../protocol/fact.ts'
import type { MemorySource } from '../../protocol/page-calls.ts'
import { createEventLoopYielder, type EventLoopYielder } from '../../lib/yield-to-event-loop.ts'
import {
  contentVersion,
  fetchSource,
  nameSource,
  type NamedSource,
  readDocument,
} from './read-source.ts'
import { sectionsOf } from './sections.ts'

/** Maximum parts sent with one message, because they are longer than other memories. */
const MAX_SENT = 4
const SEARCH_LIMIT = 20
/** Milliseconds that a message waits for the first index. Afterwards, it searches the parts indexed so far. */
const INDEX_WAIT_MS = 3_500

/** The documents of one list of sources: indexes, stores and searches them. */
export class Documents {
  readonly #options: DocumentMemoryOptions
  readonly #store: DocumentStore
  readonly #fuse: typeof fuseRankings
  readonly #enqueue = createSerialQueue()
  #firstIndexing: Promise<IndexReport> | undefined
  readonly #reported = new Set<string>()

  constructor(options: DocumentMemoryOptions, dependencies: Dependencies) {
    this.#options = options
    this.#fuse = dependencies.fuse
    this.#store = new DocumentStore(dependencies)
  }

  index(options: IndexOptions = {}): Promise<IndexReport> {
    const indexing = this.#enqueue(async () => {
      const report = await indexSources(this.#store, this.#options, options)
      // Loads the word index now, because the page's first search would have to wait for it.
      await this.#store.find('')
      return report
    })
    this.#firstIndexing ??= indexing
    indexing.catch(() => {
      if (this.#firstIndexing === indexing) this.#firstIndexing = undefined
    })
    return indexing
  }

  async retrieve(query: string, { limit, signal, warn }: RetrieveContext): Promise<MemoryEntry[]> {
    const update = (): Promise<void> =>
      (this.#firstIndexing ?? this.index()).then(
        ({ failed }) => this.#report(failed, warn),
        (error: OffstageError) => this.#report([{ name: '', error }], warn),
      )
    const isEmpty = (await this.#store.parts()).length === 0
    if (isEmpty) await Promise.race([update(), sleep(INDEX_WAIT_MS)])
    const found = await this.#find(query, signal, (error) =>
      this.#report([{ name: '', error }], warn),
    )
    // Not awaited: reading all sources would slow the search. The next message sees the changes.
    if (!isEmpty) void update()
    return toMemoryEntries(found.slice(0, Math.min(limit, MAX_SENT)), this.#options.trusted)
  }

  /** Searches the documents. An empty query returns the first part of each. */
  async search(
    query: string,
    { limit = SEARCH_LIMIT, signal }: FoundOptions = {},
  ): Promise<DocumentPart[]> {
    await (this.#firstIndexing ?? this.index())
    const parts = query
      ? await this.#find(query, signal)
      : (await this.#store.parts()).filter(({ document }) => document.at === 0)
    return parts.slice(0, limit).map((part) => this.#toDocumentPart(part))
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

  readonly showSources: (chat: SourcesChat) => void = showSources

  /** Waits until indexing has ended, then removes all documents. Resolves to the number of documents removed. */
  clear(): Promise<number> {
    return this.#enqueue(async () => {
      const { size } = await this.#store.byName()
      await this.#store.replace(() => true, [])
      this.#firstIndexing = undefined
      return size
    })
  }

  /** Searches by words and, if `embed` is set, by vectors. If `embed` fails, searches only by words. */
  async #find(
    query: string,
    signal?: AbortSignal,
    onFailure?: (error: OffstageError) => void,
  ): Promise<readonly StoredPart[]> {
    const { embed, model = '' } = this.#options
    const byWords = await this.#store.find(query)
    if (!embed) return byWords
    let byVector: readonly StoredEntry[] = []
    try {
      const [vector] = await vectorsOf(embed, [query], signal)
      byVector = nearest(await this.#store.parts(), { model, vector })
    } catch (thrown) {
      if (signal?.aborted) throw thrown
      onFailure?.(thrown as OffstageError)
    }
    return this.#fuse([byWords, byVector], ({ id }) => id) as StoredPart[]
  }

  #toDocumentPart({ id, text, source, document }: StoredPart): DocumentPart {
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
function toMemoryEntries(parts: readonly StoredPart[], isTrusted = false): MemoryEntry[] {
  const namedSources = new Set<string>()
  return parts.map(({ id, text, source: { title, heading, url } }) => {
    const source = {
      title: heading ? `${title} › ${heading}` : title,
      ...(url !== undefined && { url }),
    }
    const key = JSON.stringify(source)
    const isNamed = namedSources.has(key)
    namedSources.add(key)
    return { id, text, ...(!isTrusted && { untrusted: true }), ...(!isNamed && { source }) }
  })
}

/** Maximum number of conversations searched for an answer, newest first. */
const MAX_SEARCHED = 20

type SourcesByAnswer = Map<string, readonly MemorySource[]>

/** Makes a chat show the sources that memories found, which are read from its stored conversations. */
function showSources(chat: SourcesChat): void {
  const sourcesByAnswer: SourcesByAnswer = new Map()
  const pendingIds = new Set<string>()
  let isReading = false
  const pageSources = chat.answers.sources
  const show = (): void => {
    chat.answers = {
      ...chat.answers,
      sources(answer) {
        const sources = sourcesByAnswer.get(answer.id)
        if (!sources && answer.at !== undefined) requestSources(answer.id)
        return [...(pageSources?.(answer) ?? []), ...(sources ?? [])]
      },
    }
  }
  const requestSources = (id: string): void => {
    pendingIds.add(id)
    if (isReading) return
    isReading = true
    void readPending()
  }
  const readPending = async (): Promise<void> => {
    // Waits, so that all answers of one rendering share one search.
    await Promise.resolve()
    const ids = [...pendingIds]
    pendingIds.clear()
    await findSources(chat, ids, sourcesByAnswer).catch(() => undefined)
    for (const id of ids) if (!sourcesByAnswer.has(id)) sourcesByAnswer.set(id, [])
    isReading = false
    if (ids.some((id) => sourcesByAnswer.get(id)?.length)) show()
    const [nextId] = pendingIds
    if (nextId !== undefined) requestSources(nextId)
  }
  show()
}

async function findSources(
  { agent }: SourcesChat,
  ids: readonly string[],
  sourcesByAnswer: SourcesByAnswer,
): Promise<void> {
  const conversations = (await agent?.conversations.list()) ?? []
  for (const { conversationId } of conversations.slice(0, MAX_SEARCHED)) {
    let retrieved: readonly MemorySource[] = []
    let after = 0
    for (let hasMore = true; hasMore;) {
      const page = await agent?.conversations.rows(conversationId, { after })
      for (const row of page?.rows ?? []) {
        retrieved = sourcesAfter(row, retrieved)
        if (row.type === 'model-output')
          sourcesByAnswer.set(row.message.id, isAnswer(row) ? retrieved : [])
      }
      after = page?.rows.at(-1)?.seq ?? after
      hasMore = page?.hasMore ?? false
    }
    if (ids.every((id) => sourcesByAnswer.has(id))) return
  }
}

/** Sources of the newest request. A new message resets them. */
function sourcesAfter(row: Row, before: readonly MemorySource[]): readonly MemorySource[] {
  if (row.type === 'run-started') return row.message ? [] : before
  if (row.type !== 'memory-retrieved') return before
  return row.items.flatMap(({ source }) => (isSource(source) ? source : []))
}

/** Whether the output is the final answer of its run. An output with calls isn't. */
function isAnswer({ message }: Extract<Row, { readonly type: 'model-output' }>): boolean {
  return !message.parts.some(({ type }) => type === 'tool-call')
}

/** Validates a source, since rows may have been imported from a file. */
function isSource(source: unknown): source is MemorySource {
  const { title, url } = (source ?? {}) as Record<string, unknown>
  return typeof title === 'string' && (url === undefined || typeof url === 'string')
}

/** Must be increased when documents are cut differently. */
const CUT_VERSION = 1
const PARALLEL_READS = 4
/** Maximum texts in one call of `embed`. */
const EMBED_BATCH_SIZE = 64
const MAX_TITLE = 120
/** Milliseconds of work before yielding to the page. */
const SLICE_MS = 8

type Change = 'indexed' | 'unchanged' | { readonly error: OffstageError }

/** Updates the store from the sources. If another tab is updating, waits for it first. */
function indexSources(
  store: DocumentStore,
  options: DocumentMemoryOptions,
  { signal }: IndexOptions,
): Promise<IndexReport> {
  const index = async (): Promise<IndexReport> => {
    const sources = await sourcesOf(options, signal)
    // Keeps the order of the sources, whichever finishes first.
    const changes = new Map<string, Change>(sources.map(({ name }) => [name, 'unchanged']))
    const stored = await store.byName()
    const queue = sources.values()
    const work = async (): Promise<void> => {
      for (const source of queue)
        changes.set(source.name, await indexIfChanged(source, { store, options, signal, stored }))
    }
    await Promise.all(Array.from({ length: PARALLEL_READS }, work))
    const removed = [...stored.keys()].filter((name) => !changes.has(name))
    if (removed.length > 0)
      await store.replace(({ document }) => removed.includes(document.name), [])
    return reportOf(changes, { removed, store })
  }
  const { locks } = globalThis.navigator ?? {}
  const lock = `offstage-memory:${JSON.stringify(options.storage ?? '')}:${store.name}`
  return locks && options.storage !== 'memory'
    ? untilAborted(locks.request(lock, { ...(signal && { signal }) }, index), signal)
    : index()
}

interface IndexContext {
  readonly store: DocumentStore
  readonly options: DocumentMemoryOptions
  readonly signal: AbortSignal | undefined
  readonly stored: ReadonlyMap<string, readonly StoredPart[]>
}

/** Indexes one document if it has changed. If indexing fails, the stored version stays. */
async function indexIfChanged(
  source: NamedSource,
  { store, options, signal, stored }: IndexContext,
): Promise<Change> {
  const { name } = source
  throwIfAborted(signal)
  try {
    const blob = await fetchSource(source, signal)
    const old = stored.get(name) ?? []
    const baseVersion = [CUT_VERSION, await contentVersion(blob), source.title, source.url].join(
      ' ',
    )
    const version = `${baseVersion} ${options.model ?? ''}`
    if (old[0]?.document.version === version) return 'unchanged'
    const parts = await partsOf(source, { blob, version, options, signal, store })
    const { completed, error } = await withVectors(parts, { old, options, signal, baseVersion })
    throwIfAborted(signal)
    await store.replace(({ document }) => document.name === name, completed)
    return error ? { error } : 'indexed'
  } catch (thrown) {
    throwIfAborted(signal)
    if (OffstageError.is(thrown)) return { error: thrown }
    const message = `${name} could not be indexed: ${describeThrown(thrown)}`
    return { error: new OffstageError('internal', message, { cause: thrown }) }
  }
}

interface PartsContext extends Omit<IndexContext, 'stored'> {
  readonly blob: Blob
  readonly version: string
}

async function partsOf(
  source: NamedSource,
  { blob, version, options, signal, store }: PartsContext,
): Promise<StoredPart[]> {
  const { name, url } = source
  const { title, blocks } = await readDocument(blob, source, { read: options.read, signal })
  const shortTitle = shortened(title)
  const parts: StoredPart[] = []
  const pauser = createPauser()
  const now = Date.now()
  for (const { headings, text } of sectionsOf(blocks)) {
    const heading = shortened(headings.filter((each) => each !== title).join(' › '))
    for (const piece of cut(text)) {
      const prefix = heading === '' ? shortTitle : `${shortTitle} › ${heading}`
      parts.push({
        space: store.name,
        id: `${name}#${parts.length + 1}`,
        text: `${prefix}\n${piece}`,
        at: now,
        source: {
          title: shortTitle,
          ...(url !== undefined && { url }),
          ...(heading !== '' && { heading }),
        },
        document: { name, version, at: parts.length },
      })
      await pauser.ifDue()
    }
  }
  pauser.close()
  return parts
}

interface VectorContext {
  readonly old: readonly StoredPart[]
  readonly options: DocumentMemoryOptions
  readonly signal: AbortSignal | undefined
  readonly baseVersion: string
}

/** Adds vectors. If `embed` fails, stores the parts without vectors; the next indexing tries again. */
async function withVectors(
  parts: readonly StoredPart[],
  { old, options: { embed, model = '' }, signal, baseVersion }: VectorContext,
): Promise<{ readonly completed: readonly StoredPart[]; readonly error?: OffstageError }> {
  if (!embed) return { completed: parts }
  const embeddings = new Map(
    old.flatMap(({ text, embedding }) => (embedding?.model === model ? [[text, embedding]] : [])),
  )
  const missing = [...new Set(parts.map(({ text }) => text))].filter(
    (text) => !embeddings.has(text),
  )
  try {
    for (let from = 0; from < missing.length; from += EMBED_BATCH_SIZE) {
      const texts = missing.slice(from, from + EMBED_BATCH_SIZE)
      const vectors = await vectorsOf(embed, texts, signal)
      for (const [at, vector] of vectors.entries())
        embeddings.set(texts[at] ?? '', { model, vector })
    }
  } catch (cause) {
    const message = `embed() failed, and these documents are found by words alone: ${describeThrown(cause)}`
    const error = new OffstageError('invalid-output', message, { retryable: true, cause })
    const withoutModel = (part: StoredPart): StoredPart => ({
      ...part,
      document: { ...part.document, version: baseVersion },
    })
    return { completed: parts.map(withoutModel), error }
  }
  const addEmbedding = (part: StoredPart): StoredPart => {
    const embedding = embeddings.get(part.text)
    return embedding ? { ...part, embedding } : part
  }
  return { completed: parts.map(addEmbedding) }
}

/** The sources, with names. Throws if two have the same name. */
async function sourcesOf(
  { sources }: DocumentMemoryOptions,
  signal?: AbortSignal,
): Promise<readonly NamedSource[]> {
  const list =
    typeof sources === 'function' ? await sources({ ...(signal && { signal }) }) : sources
  const namedSources = list.map(nameSource)
  const duplicate = namedSources.find(
    ({ name }, at) => namedSources.findIndex((each) => each.name === name) < at,
  )
  if (!duplicate) return namedSources
  throw new OffstageError(
    'invalid-config',
    `Two sources of documentMemory are named ${duplicate.name}. Give each its own name.`,
  )
}

function reportOf(
  changes: ReadonlyMap<string, Change>,
  {
    removed,
    store: { failure },
  }: { readonly removed: readonly string[]; readonly store: DocumentStore },
): IndexReport {
  const namesWith = (kind: Change): string[] =>
    [...changes].flatMap(([name, change]) => (change === kind ? name : []))
  return {
    indexed: namesWith('indexed'),
    unchanged: namesWith('unchanged'),
    removed,
    failed: [...changes].flatMap(([name, change]) =>
      typeof change === 'string' ? [] : { name, error: change.error },
    ),
    storage: failure ? 'memory' : 'durable',
    ...(failure && { storageError: failure }),
  }
}

/** Yields to the page every few milliseconds. */
function createPauser(): { ifDue(): Promise<void>; close(): void } {
  let yielder: EventLoopYielder | undefined
  let sliceStartedAt = performance.now()
  return {
    async ifDue() {
      if (performance.now() - sliceStartedAt < SLICE_MS) return
      yielder ??= createEventLoopYielder()
      await yielder.next()
      sliceStartedAt = performance.now()
    },
    close: () => yielder?.close(),
  }
}

function shortened(text: string): string {
  const characters = Array.from(text)
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE).join('')}…` : text
}

function throwIfAborted(signal?: AbortSignal): void {
  if (signal?.aborted) throw abortError(signal)
}

function abortError({ reason }: AbortSignal): OffstageError {
  return new OffstageError('aborted', 'Indexing was aborted. Documents that were done are kept.', {
    cause: reason,
  })
}

/** Rejects with `aborted` after an abort: a lock request rejects with the signal's reason instead. */
async function untilAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  try {
    return await work
  } catch (thrown) {
    throwIfAborted(signal)
    throw thrown
  }
}

/**
 * Maximum width of a part, in characters. Chinese, Japanese and Korean characters carry more meaning, so they count
 * twice.
 */
const MAX_WIDTH = 1_200

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/gu

/** Ways to cut a text, from large to small pieces. The pieces joined equal the text. */
const SPLITTERS: readonly ((text: string) => Iterable<string>)[] = [
  (text) => text.split(/(?<=\n\n)/),
  (text) => segments(text, 'sentence'),
  (text) => segments(text, 'word'),
  (text) => text.match(/[^]{1,500}/gu) ?? [],
]

/** Cuts a text into parts of limited width: at paragraphs, otherwise between sentences, otherwise between words. */
export function* cut(text: string): Generator<string> {
  let part = ''
  let width = 0
  for (const piece of fittingPieces(text)) {
    const pieceWidth = widthOf(piece)
    if (width > 0 && width + pieceWidth > MAX_WIDTH) {
      yield part.trim()
      part = ''
      width = 0
    }
    part += piece
    width += pieceWidth
  }
  if (part.trim() !== '') yield part.trim()
}

function* fittingPieces(text: string, depth = 0): Generator<string> {
  const split = SPLITTERS[depth]
  if (!split || widthOf(text) <= MAX_WIDTH) return void (yield text)
  for (const piece of split(text)) yield* fittingPieces(piece, depth + 1)
}

/** Width of a text. Long texts aren't measured, because they are too wide already. */
function widthOf(text: string): number {
  return text.length > MAX_WIDTH ? text.length : text.length + (text.match(WIDE)?.length ?? 0)
}

function* segments(text: string, granularity: 'sentence' | 'word'): Generator<string> {
  for (const { segment } of new Intl.Segmenter(undefined, { granularity }).segment(text))
    yield segment
}
