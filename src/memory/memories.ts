import { fused } from './fused.ts'
import type { StoredEntry } from './entry.ts'
import { type Finder, keptMemory, type KeptMemoryOptions, type Memory, newest } from './memory.ts'
import { badConfig } from './options.ts'
import { memoryPart } from './memory-part.ts'
import type { Embed } from './vectors.ts'

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
      return fused([byWords, nearest(entries.values(), { model, vector })], ({ id }) => id)
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
