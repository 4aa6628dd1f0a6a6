import { OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'

/** Returns one vector for each text, in the same order and all of the same length. */
export type Embed = (
  texts: readonly string[],
  options: { readonly signal?: AbortSignal },
) => Promise<readonly (readonly number[] | Float32Array)[]>

/** Lowest cosine similarity of a match. */
const MIN_SIMILARITY = 0.25
const MAX_NEAREST = 50

/** Unit vectors of the texts. Throws `invalid-output` if `embed` doesn't return one vector for each text. */
export async function vectorsOf(
  embed: Embed,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors = await embed(texts, signal ? { signal } : {})
  if (vectors.length === texts.length) return vectors.map(unitVector)
  throw new OffstageError(
    'invalid-output',
    `embed() gave ${vectors.length} vectors for ${texts.length} texts.`,
  )
}

/** Scales a vector to length 1. Throws `invalid-output` for invalid or zero vectors. */
function unitVector(values: readonly number[] | Float32Array): Float32Array {
  const vector = Float32Array.from(values)
  const length = Math.sqrt(dot(vector, vector))
  if (vector.length === 0 || !Number.isFinite(length) || length === 0)
    throw new OffstageError('invalid-output', 'embed() returned an invalid or zero vector.')
  return vector.map((value) => value / length)
}

/** Entries most similar to the vector, best first. Skips vectors of another model or length. */
export function nearest(
  entries: Iterable<StoredEntry>,
  { model, vector }: { readonly model: string; readonly vector: Float32Array | undefined },
): StoredEntry[] {
  if (vector === undefined) return []
  const matches: { readonly entry: StoredEntry; readonly similarity: number }[] = []
  for (const entry of entries) {
    const { embedding } = entry
    if (embedding?.model !== model || embedding.vector.length !== vector.length) continue
    const similarity = dot(embedding.vector, vector)
    if (similarity >= MIN_SIMILARITY) matches.push({ entry, similarity })
  }
  matches.sort((a, b) => b.similarity - a.similarity)
  return matches.slice(0, MAX_NEAREST).map(({ entry }) => entry)
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
