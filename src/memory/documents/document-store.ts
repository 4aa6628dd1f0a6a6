import { OffstageError } from '../../protocol/error.ts'
import type { DocumentPlace } from '../document-options.ts'
import type { StoredEntry } from '../entry.ts'
import type { fuseRankings } from '../fused.ts'
import type { Space } from '../space.ts'

/** A stored part of a document. */
export interface StoredPart extends StoredEntry {
  readonly source: DocumentPlace
  readonly document: {
    readonly name: string
    /** Version of the content, and of how it was split and embedded. */
    readonly version: string
    /** Place of the part in its document, from 0. */
    readonly at: number
  }
}

/** Parts of this entry point that are already loaded. */
export interface Loaded {
  readonly fused: typeof fuseRankings
  /** Makes a space. `isKept`: in IndexedDB, otherwise in memory. */
  space(isKept: boolean): Space
}

/** Parts of all documents of one memory: in IndexedDB, or in memory if that is full or blocked. */
export class DocumentStore {
  readonly #make: Loaded['space']
  readonly #space: Space
  #inMemory: Promise<Space> | undefined
  get name(): string {
    return this.#space.name
  }

  /** Reason why the documents are lost with the page. */
  failure: OffstageError | undefined

  constructor({ space }: Pick<Loaded, 'space'>) {
    this.#make = space
    this.#space = space(true)
  }

  parts(): Promise<StoredPart[]> {
    return this.#use(async (space) => [...(await space.entries()).values()].map(asPart))
  }

  async byName(): Promise<Map<string, StoredPart[]>> {
    const documents = new Map<string, StoredPart[]>()
    for (const part of await this.parts()) {
      const { name } = part.document
      const parts = documents.get(name)
      if (parts) parts.push(part)
      else documents.set(name, [part])
    }
    return documents
  }

  find(query: string): Promise<StoredPart[]> {
    return this.#use(async (space) => (await space.find(query)).map(asPart))
  }

  /** Replaces the parts that `isOld` selects. Does nothing if another tab has already stored the same parts. */
  async replace(isOld: (part: StoredPart) => boolean, parts: readonly StoredPart[]): Promise<void> {
    const ids = new Set(parts.map(({ id }) => id))
    await this.#use((space) =>
      space.change((entries) => {
        const old = [...entries.values()].map(asPart).filter(isOld)
        const version = parts[0]?.document.version
        const isDone =
          old.length === parts.length && old.every(({ document }) => document.version === version)
        return isDone
          ? {}
          : { put: parts, remove: old.map(({ id }) => id).filter((id) => !ids.has(id)) }
      }),
    )
  }

  async #use<Result>(work: (space: Space) => Promise<Result>): Promise<Result> {
    const space = this.#inMemory ? await this.#inMemory : this.#space
    try {
      return await work(space)
    } catch (thrown) {
      const isOfStorage = OffstageError.is(thrown) && thrown.code.startsWith('storage-')
      if (!isOfStorage || space !== this.#space) throw thrown
      this.failure ??= thrown
      this.#inMemory ??= copied(space, this.#make(false))
      return work(await this.#inMemory)
    }
  }
}

/** Copies the entries that can still be read into a space in memory. */
async function copied(space: Space, copy: Space): Promise<Space> {
  const known = await space.entries().catch(() => new Map<string, StoredEntry>())
  await copy.change(() => ({ put: [...known.values()] }))
  return copy
}

function asPart(entry: StoredEntry): StoredPart {
  return entry as StoredPart
}
