import { OffstageError } from '../protocol/error.ts'
import { fused } from './fused.ts'
import type { StoredEntry } from './entry.ts'
import { type Finder, keptMemory, type KeptMemoryOptions, type Memory, newest } from './memory.ts'
import { badConfig } from './options.ts'
import { nearest, unitVector } from './vectors.ts'

const BY_WORDS: Finder = { find: (space, query) => space.find(query) }

/** The newest entries, whatever the message says. */
export function recentMemory(options: KeptMemoryOptions = {}): Memory {
  return keptMemory(options, { ...BY_WORDS, forMessage: newest })
}

/**
 * Entries that share words with the message: words of any script, pairs of characters in Chinese, Japanese, Korean
 * and Thai.
 */
export function keywordMemory(options: KeptMemoryOptions = {}): Memory {
  return keptMemory(options, BY_WORDS)
}

export interface EmbeddingMemoryOptions extends KeptMemoryOptions {
  /** Vectors of one length for these texts, in their order. Called for entries and for messages. */
  readonly embed: (
    texts: readonly string[],
    options: { readonly signal?: AbortSignal },
  ) => Promise<readonly (readonly number[] | Float32Array)[]>
  /** Names the model, and is stored with each vector: those of another one are never compared with its own. */
  readonly model: string
}

/**
 * Entries that mean something like the message, by vectors of your own model, together with those that share words
 * with it. Entries of another model, or from before there was one, are found by their words.
 */
export function embeddingMemory({ embed, model, ...options }: EmbeddingMemoryOptions): Memory {
  if (typeof embed !== 'function' || !model)
    throw badConfig('embeddingMemory needs embed() and the name of its model.')
  const vectorsOf = async (texts: readonly string[], signal?: AbortSignal) => {
    const vectors = await embed(texts, signal ? { signal } : {})
    if (vectors.length === texts.length) return vectors.map(unitVector)
    throw new OffstageError(
      'invalid-output',
      `embed() gave ${vectors.length} vectors for ${texts.length} texts.`,
    )
  }
  return keptMemory(options, {
    async find(space, query, signal) {
      const [byWords, [vector]] = await Promise.all([space.find(query), vectorsOf([query], signal)])
      const entries = await space.entries()
      return fused([byWords, nearest(entries.values(), { model, vector })], ({ id }) => id)
    },
    async complete(entries: readonly StoredEntry[]) {
      const vectors = await vectorsOf(entries.map(({ text }) => text))
      return entries.flatMap((entry, at) => {
        const vector = vectors[at]
        return vector ? { ...entry, embedding: { model, vector } } : entry
      })
    },
  })
}
