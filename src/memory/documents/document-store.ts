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
    /** Version of the content, including the way in which it was split and embedded. */
    readonly version: string
    /** Index of the part in its document, from 0. */
    readonly at: number
  }
}

/** Parts of this entry point that are already loaded. */
export interface Dependencies {
  readonly fuse: typeof fuseRankings
  /** Durable spaces are stored in IndexedDB, others in RAM. */
  createSpace(isDurable: boolean): Space
}

/** Parts of all documents of one memory. Stored in IndexedDB, or in RAM if IndexedDB is full or blocked. */
export class DocumentStore {
  readonly #createSpace: Dependencies['createSpace']
  readonly #space: Space
  #memorySpace: Promise<Space> | undefined
  get name(): string {
    return this.#space.name
  }

  /** Why the documents are lost when the page closes. */
  failure: OffstageError | undefined

  constructor({ createSpace }: Pick<Dependencies, 'createSpace'>) {
    this.#createSpace = createSpace
    this.#space = createSpace(true)
  }

  parts(): Promise<StoredPart[]> {
    return this.#withSpace(async (space) => [...(await space.entries()).values()].map(asPart))
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
    return this.#withSpace(async (space) => (await space.find(query)).map(asPart))
  }

  /** Replaces the parts that `isOld` selects. Does nothing if another tab has already stored the same parts. */
  async replace(isOld: (part: StoredPart) => boolean, parts: readonly StoredPart[]): Promise<void> {
    const ids = new Set(parts.map(({ id }) => id))
    await this.#withSpace((space) =>
      space.change((entries) => {
        const old = [...entries.values()].map(asPart).filter(isOld)
        const version = parts[0]?.document.version
        const isAlreadyStored =
          old.length === parts.length && old.every(({ document }) => document.version === version)
        return isAlreadyStored
          ? {}
          : { put: parts, remove: old.map(({ id }) => id).filter((id) => !ids.has(id)) }
      }),
    )
  }

  async #withSpace<Result>(work: (space: Space) => Promise<Result>): Promise<Result> {
    const space = this.#memorySpace ? await this.#memorySpace : this.#space
    try {
      return await work(space)
    } catch (thrown) {
      const isStorageError = OffstageError.is(thrown) && thrown.code.startsWith('storage-')
      if (!isStorageError || space !== this.#space) throw thrown
      this.failure ??= thrown
      this.#memorySpace ??= copyToMemory(space, this.#createSpace(false))
      return work(await this.#memorySpace)
    }
  }
}

/** Copies the entries that can still be read. */
async function copyToMemory(space: Space, target: Space): Promise<Space> {
  const entries = await space.entries().catch(() => new Map<string, StoredEntry>())
  await target.change(() => ({ put: [...entries.values()] }))
  return target
}

function asPart(entry: StoredEntry): StoredPart {
  return entry as StoredPart
}
