import type { JsonValue } from './json.ts'
import { leavesOf, mapLeaves, type JsonLeaf } from './json-leaves.ts'

/** What is stored of a call's input in place of a secret value. */
export function sealOf(toolCallId: string, count: number): string {
  return `[sealed value ${count} of ${toolCallId}]`
}

/** Whether it stands for a secret value, which at most a worker's memory holds. */
export function isSeal(value: unknown): value is string {
  return typeof value === 'string' && /^\[sealed value \d+ of [^]+\]$/.test(value)
}

export function holdsSeal(input: JsonValue): boolean {
  return [...leavesOf(input).values()].some(isSeal)
}

/** Booleans and null are few enough to be guessed, and no secrets. */
export function isSealable(leaf: JsonLeaf | undefined): leaf is string | number {
  return typeof leaf === 'string' || typeof leaf === 'number'
}

export interface SealedValue {
  /** What is stored in its place. */
  readonly seal: string
  readonly value: string | number
}

/** What the seals of an input stand for, by the same input with its values. */
export function sealedValues(sealed: JsonValue, whole: JsonValue): SealedValue[] {
  const leaves = leavesOf(whole)
  return [...leavesOf(sealed)].flatMap(([pointer, seal]) => {
    const value = leaves.get(pointer)
    return isSeal(seal) && isSealable(value) && value !== seal ? [{ seal, value }] : []
  })
}

/** The input with seals where the other one has them. */
export function sealedLike(sealed: JsonValue, whole: JsonValue): JsonValue {
  const seals = leavesOf(sealed)
  return mapLeaves(whole, (leaf, pointer) => {
    const seal = seals.get(pointer)
    return seal !== undefined && isSeal(seal) && isSealable(leaf) ? seal : leaf
  })
}
