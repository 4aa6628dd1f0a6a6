import type { AgentMemory } from '../client/features/memory.ts'
import type {
  DocumentMemoryOptions,
  DocumentPart,
  FoundOptions,
  IndexedDocument,
  IndexOptions,
  IndexReport,
  SourcesChat,
} from './document-options.ts'
import type { Documents } from './documents/documents.ts'
import { fuseRankings } from './fused.ts'
import { loadMemoryPart } from './memory-part.ts'
import { withTools } from './memory-tools.ts'
import { badConfig, DEFAULT_STORAGE, openEntryStore } from './options.ts'
import { Space } from './space.ts'

/** Documents that are searched by their parts. Rejections are `OffstageError`s. */
export interface DocumentMemory extends AgentMemory {
  /**
   * Reads the sources, indexes changed documents and removes missing ones. The first search does this, too. Rejects
   * with `aborted`, and with `invalid-config` if a source has no name or two have the same.
   */
  index(options?: IndexOptions): Promise<IndexReport>
  /** Returns the matching parts, best first. */
  search(query: string, options?: FoundOptions): Promise<readonly DocumentPart[]>
  documents(): Promise<readonly IndexedDocument[]>
  /** Removes all documents, with their index and vectors. Resolves to how many existed. */
  clear(): Promise<number>
  /**
   * Sets `answers.sources` of a chat: each answer shows the sources found for its request, read from the stored
   * conversation. The page's own `sources` come first.
   */
  showSources(chat: SourcesChat): Promise<void>
}

/** The app's documents: read, cut into parts, and searched by words and vectors. */
export function documentMemory(options: DocumentMemoryOptions): DocumentMemory {
  const {
    sources,
    embed,
    model,
    storage = DEFAULT_STORAGE,
    name = 'documents',
    description = 'documents of this site',
  } = options
  if (!sources || !embed !== !model)
    throw badConfig('documentMemory needs sources; embed needs its model.')
  let documents: Documents | undefined
  const load = async (): Promise<Documents> => {
    const { Documents } = await loadMemoryPart(() => import('./documents/documents.ts'))
    return (documents ??= new Documents(options, {
      fuse: fuseRankings,
      createSpace: (isKept) =>
        new Space(`documents:${name}`, openEntryStore({ storage: isKept ? storage : 'memory' })),
    }))
  }
  const lazyMethod =
    <Name extends keyof Documents>(method: Name) =>
    async (...args: Parameters<Documents[Name]>): Promise<Awaited<ReturnType<Documents[Name]>>> =>
      ((await load())[method] as (...args: unknown[]) => never)(...args)
  const memory: DocumentMemory = {
    retrieve: lazyMethod('retrieve'),
    index: lazyMethod('index'),
    search: lazyMethod('search'),
    documents: lazyMethod('documents'),
    clear: lazyMethod('clear'),
    showSources: lazyMethod('showSources'),
  }
  const recall = (query: string): Promise<readonly DocumentPart[]> => memory.search(query)
  return options.tools === false
    ? memory
    : withTools(memory, [{ name, description, key: memory, recall }])
}
