import { fused } from './fused.ts'
import type { StoredEntry } from './entry.ts'
import { type Finder, keptMemory, type KeptMemoryOptions, type Memory, newest } from './memory.ts'
import { badConfig } from './options.ts'
import { memoryPart } from './memory-part.ts'
import type { Embed } from './vectors.ts'

const BY_WORDS: Finder = { find: (space, query) => space.find(query) }

const vectors = () => memoryPart(() => import('./vectors.ts'))

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
  /** Called for entries and for messages. */
  readonly embed: Embed
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
