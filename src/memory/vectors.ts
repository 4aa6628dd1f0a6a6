import { OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'

/** Vectors of one length for these texts, in their order. */
export type Embed = (
  texts: readonly string[],
  options: { readonly signal?: AbortSignal },
) => Promise<readonly (readonly number[] | Float32Array)[]>

/** Entries that are less like the query than this aren't meant. Cosine. */
const LEAST_LIKENESS = 0.25
const MOST_NEAR = 50

/** Vectors of length 1. Throws `invalid-output` for what isn't one vector for each text. */
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

/** Of length 1. Throws `invalid-output` for what is no vector. */
function unitVector(values: readonly number[] | Float32Array): Float32Array {
  const vector = Float32Array.from(values)
  const length = Math.sqrt(dot(vector, vector))
  if (vector.length === 0 || !Number.isFinite(length) || length === 0)
    throw new OffstageError('invalid-output', 'embed() gave something that is no vector.')
  return vector.map((value) => value / length)
}

/** What is most like the vector, among entries of its model and length. */
export function nearest(
  entries: Iterable<StoredEntry>,
  { model, vector }: { readonly model: string; readonly vector: Float32Array | undefined },
): StoredEntry[] {
  if (vector === undefined) return []
  const near: { readonly entry: StoredEntry; readonly likeness: number }[] = []
  for (const entry of entries) {
    const { embedding } = entry
    if (embedding?.model !== model || embedding.vector.length !== vector.length) continue
    const likeness = dot(embedding.vector, vector)
    if (likeness >= LEAST_LIKENESS) near.push({ entry, likeness })
  }
  near.sort((one, other) => other.likeness - one.likeness)
  return near.slice(0, MOST_NEAR).map(({ entry }) => entry)
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}
