import { leavesOf, mapLeaves } from '../../protocol/json-leaves.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Row } from '../../protocol/fact.ts'
import {
  holdsSeal,
  isSeal,
  isSealable,
  type SealedValue,
  sealOf,
  sealedValues,
} from '../../protocol/sealed.ts'

/**
 * The secret values of a conversation's open calls. They are in memory only, and each is given back to the call that it
 * was made with: what another call says of a seal opens nothing.
 */
export class SealedInputs {
  /** By call, then by seal. */
  readonly #values = new Map<string, Map<string, string | number>>()
  /** Calls whose tool couldn't say what is secret. */
  readonly #unclear = new Set<string>()

  /** The input with seals in place of the values at which `isSecret`; the values are kept for the call. */
  seal(
    toolCallId: string,
    input: JsonValue,
    isSecret: (value: string | number, pointer: string) => boolean,
  ): JsonValue {
    const known = this.#values.get(toolCallId) ?? new Map<string, string | number>()
    const used = new Set<unknown>([...known.keys(), ...leavesOf(input).values()])
    let count = 0
    const next = (): string => {
      let seal = sealOf(toolCallId, ++count)
      while (used.has(seal)) seal = sealOf(toolCallId, ++count)
      return seal
    }
    return mapLeaves(input, (leaf, pointer) => {
      if (leaf === '' || !isSealable(leaf) || isSeal(leaf) || !isSecret(leaf, pointer)) return leaf
      const seal = next()
      this.keep(toolCallId, [{ seal, value: leaf }])
      return seal
    })
  }

  markUnclear(toolCallId: string): void {
    this.#unclear.add(toolCallId)
  }

  /** What decides about the call sees seals in place of values that are no secrets, perhaps: a person is to decide. */
  isUnclear(toolCallId: string): boolean {
    return this.#unclear.has(toolCallId)
  }

  keep(toolCallId: string, values: readonly SealedValue[]): void {
    if (values.length === 0) return
    const known = this.#values.get(toolCallId) ?? new Map<string, string | number>()
    for (const { seal, value } of values) known.set(seal, value)
    this.#values.set(toolCallId, known)
  }

  /** The input with its values; null: one of them isn't there any more, or is another call's. */
  open(toolCallId: string, input: JsonValue): JsonValue | null {
    if (!holdsSeal(input)) return input
    const values = this.#values.get(toolCallId)
    let isWhole = true
    const whole = mapLeaves(input, (leaf) => {
      if (!isSeal(leaf)) return leaf
      const value = values?.get(leaf)
      isWhole &&= value !== undefined
      return value ?? leaf
    })
    return isWhole ? whole : null
  }

  /** What the seals of an input of the call stand for, as far as that is known. */
  valuesIn(toolCallId: string, input: JsonValue): SealedValue[] {
    const whole = this.open(toolCallId, input)
    return whole === null ? [] : sealedValues(input, whole)
  }

  /** Nobody asks for the values of what has ended. */
  fold(row: Row): void {
    if (row.type === 'call-settled') this.#forget(row.path.at(-1) ?? '')
    else if (row.type === 'run-ended') {
      this.#values.clear()
      this.#unclear.clear()
    }
  }

  #forget(toolCallId: string): void {
    this.#values.delete(toolCallId)
    this.#unclear.delete(toolCallId)
  }
}
