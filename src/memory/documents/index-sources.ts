import { openTurns, type Turns } from '../../lib/next-turn.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { DocumentMemoryOptions, IndexOptions, IndexReport } from '../document-options.ts'
import { vectorsOf } from '../vectors.ts'
import { cut } from './cut.ts'
import type { DocumentStore, StoredPart } from './document-store.ts'
import {
  contentVersion,
  fetchSource,
  named,
  type NamedSource,
  readDocument,
} from './read-source.ts'
import { sectionsOf } from './sections.ts'

/** Version of the cutting. Increase it when documents are cut differently. */
const CUT = 1
/** Documents read in parallel. */
const AT_ONCE = 4
/** Most texts in one call of `embed`. */
const EMBEDDED_AT_ONCE = 64
const MOST_OF_TITLE = 120
/** Milliseconds of work before yielding to the page. */
const SLICE_MS = 8

type Change = 'indexed' | 'unchanged' | { readonly error: OffstageError }

/** Updates the store from the sources. Waits while another tab does the same. */
export function indexSources(
  store: DocumentStore,
  options: DocumentMemoryOptions,
  { signal }: IndexOptions,
): Promise<IndexReport> {
  const index = async (): Promise<IndexReport> => {
    const sources = await sourcesOf(options, signal)
    // Keeps the order of the sources, whichever finishes first.
    const changes = new Map<string, Change>(sources.map(({ name }) => [name, 'unchanged']))
    const kept = await store.byName()
    const waiting = sources.values()
    const work = async (): Promise<void> => {
      for (const source of waiting)
        changes.set(source.name, await bring(source, { store, options, signal, kept }))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    const removed = [...kept.keys()].filter((name) => !changes.has(name))
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

interface Bringing {
  readonly store: DocumentStore
  readonly options: DocumentMemoryOptions
  readonly signal: AbortSignal | undefined
  readonly kept: ReadonlyMap<string, readonly StoredPart[]>
}

/** Indexes one document if it has changed. If that fails, the stored version stays. */
async function bring(
  source: NamedSource,
  { store, options, signal, kept }: Bringing,
): Promise<Change> {
  const { name } = source
  throwIfAborted(signal)
  try {
    const blob = await fetchSource(source, signal)
    const old = kept.get(name) ?? []
    const content = [CUT, await contentVersion(blob), source.title, source.url].join(' ')
    const version = `${content} ${options.model ?? ''}`
    if (old[0]?.document.version === version) return 'unchanged'
    const parts = await partsOf(source, { blob, version, options, signal, store })
    const { completed, error } = await withVectors(parts, { old, options, signal, content })
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

interface Parting extends Omit<Bringing, 'kept'> {
  readonly blob: Blob
  readonly version: string
}

async function partsOf(
  source: NamedSource,
  { blob, version, options, signal, store }: Parting,
): Promise<StoredPart[]> {
  const { name, url } = source
  const { title, blocks } = await readDocument(blob, source, { read: options.read, signal })
  const shortTitle = shortened(title)
  const parts: StoredPart[] = []
  const pause = pauses()
  const at = Date.now()
  for (const { headings, text } of sectionsOf(blocks)) {
    const heading = shortened(headings.filter((each) => each !== title).join(' › '))
    for (const piece of cut(text)) {
      const start = heading === '' ? shortTitle : `${shortTitle} › ${heading}`
      parts.push({
        space: store.name,
        id: `${name}#${parts.length + 1}`,
        text: `${start}\n${piece}`,
        at,
        source: {
          title: shortTitle,
          ...(url !== undefined && { url }),
          ...(heading !== '' && { heading }),
        },
        document: { name, version, at: parts.length },
      })
      await pause.ifDue()
    }
  }
  pause.end()
  return parts
}

interface Completing {
  readonly old: readonly StoredPart[]
  readonly options: DocumentMemoryOptions
  readonly signal: AbortSignal | undefined
  readonly content: string
}

/** Adds vectors. If `embed` fails, parts are stored without, and the next indexing tries again. */
async function withVectors(
  parts: readonly StoredPart[],
  { old, options: { embed, model = '' }, signal, content }: Completing,
): Promise<{ readonly completed: readonly StoredPart[]; readonly error?: OffstageError }> {
  if (!embed) return { completed: parts }
  const known = new Map(
    old.flatMap(({ text, embedding }) => (embedding?.model === model ? [[text, embedding]] : [])),
  )
  const missing = [...new Set(parts.map(({ text }) => text))].filter((text) => !known.has(text))
  try {
    for (let from = 0; from < missing.length; from += EMBEDDED_AT_ONCE) {
      const texts = missing.slice(from, from + EMBEDDED_AT_ONCE)
      const vectors = await vectorsOf(embed, texts, signal)
      for (const [at, vector] of vectors.entries()) known.set(texts[at] ?? '', { model, vector })
    }
  } catch (cause) {
    const message = `embed() failed, and these documents are found by words alone: ${describeThrown(cause)}`
    const error = new OffstageError('invalid-output', message, { retryable: true, cause })
    const withoutModel = (part: StoredPart): StoredPart => ({
      ...part,
      document: { ...part.document, version: content },
    })
    return { completed: parts.map(withoutModel), error }
  }
  const complete = (part: StoredPart): StoredPart => {
    const embedding = known.get(part.text)
    return embedding ? { ...part, embedding } : part
  }
  return { completed: parts.map(complete) }
}

/** The sources, with names. Throws if two have the same name. */
async function sourcesOf(
  { sources }: DocumentMemoryOptions,
  signal?: AbortSignal,
): Promise<readonly NamedSource[]> {
  const given =
    typeof sources === 'function' ? await sources({ ...(signal && { signal }) }) : sources
  const all = given.map(named)
  const double = all.find(({ name }, at) => all.findIndex((each) => each.name === name) < at)
  if (!double) return all
  throw new OffstageError(
    'invalid-config',
    `Two sources of documentMemory are named ${double.name}. Give each its own name.`,
  )
}

function reportOf(
  changes: ReadonlyMap<string, Change>,
  {
    removed,
    store: { failure },
  }: { readonly removed: readonly string[]; readonly store: DocumentStore },
): IndexReport {
  const names = (wanted: Change): string[] =>
    [...changes].flatMap(([name, change]) => (change === wanted ? name : []))
  return {
    indexed: names('indexed'),
    unchanged: names('unchanged'),
    removed,
    failed: [...changes].flatMap(([name, change]) =>
      typeof change === 'string' ? [] : { name, error: change.error },
    ),
    storage: failure ? 'memory' : 'durable',
    ...(failure && { storageError: failure }),
  }
}

/** Yields to the page every few milliseconds. */
function pauses(): { ifDue(): Promise<void>; end(): void } {
  let turns: Turns | undefined
  let since = performance.now()
  return {
    async ifDue() {
      if (performance.now() - since < SLICE_MS) return
      turns ??= openTurns()
      await turns.next()
      since = performance.now()
    },
    end: () => turns?.close(),
  }
}

function shortened(text: string): string {
  const characters = Array.from(text)
  return characters.length > MOST_OF_TITLE
    ? `${characters.slice(0, MOST_OF_TITLE).join('')}…`
    : text
}

function throwIfAborted(signal?: AbortSignal): void {
  if (signal?.aborted) throw aborted(signal)
}

function aborted({ reason }: AbortSignal): OffstageError {
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
