import {
  hasPlaceholder,
  isPlaceholder,
  canBeSecret,
  leavesOf,
  mapLeaves,
  type SecretValue,
  sealedValues,
  createPlaceholder,
} from '../../protocol/sealed.ts'
import { createSecretReplacer, type SecretReplacer } from '../../lib/replace-repeats.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallState } from '../../protocol/state.ts'
import type { Row } from '../../protocol/fact.ts'

/** Finds repeats of secrets, and replaces them by their placeholders. */
export function replacerFor(secrets: readonly SecretValue[]): SecretReplacer {
  return createSecretReplacer(
    new Map(secrets.map(({ placeholder, value }) => [String(value), placeholder])),
  )
}

/**
 * Secret values of a conversation's open calls, in memory only. A placeholder is replaced by its value only in its own
 * call, not in another call that repeats it.
 */
export class CallSecrets {
  /** Values by call id, then by placeholder. */
  readonly #values = new Map<string, Map<string, string | number>>()
  /** Ids of calls whose `secretsIn` failed. */
  readonly #unclear = new Set<string>()

  /** Replaces the values that `isSecret` picks with placeholders, and keeps the values for the call. */
  hide(
    toolCallId: string,
    input: JsonValue,
    isSecret: (value: string | number, pointer: string) => boolean,
  ): JsonValue {
    const values = this.#values.get(toolCallId) ?? new Map<string, string | number>()
    const used = new Set<unknown>([...values.keys(), ...leavesOf(input).values()])
    let count = 0
    const nextPlaceholder = (): string => {
      let placeholder = createPlaceholder(toolCallId, ++count)
      while (used.has(placeholder)) placeholder = createPlaceholder(toolCallId, ++count)
      return placeholder
    }
    return mapLeaves(input, (leaf, pointer) => {
      if (leaf === '' || !canBeSecret(leaf) || isPlaceholder(leaf) || !isSecret(leaf, pointer))
        return leaf
      const placeholder = nextPlaceholder()
      this.keep(toolCallId, [{ placeholder, value: leaf }])
      return placeholder
    })
  }

  markUnclear(toolCallId: string): void {
    this.#unclear.add(toolCallId)
  }

  /**
   * Whether the call's `secretsIn` failed, so that ordinary values are hidden, too. A person must then decide about the
   * call.
   */
  isUnclear(toolCallId: string): boolean {
    return this.#unclear.has(toolCallId)
  }

  keep(toolCallId: string, values: readonly SecretValue[]): void {
    if (values.length === 0) return
    const stored = this.#values.get(toolCallId) ?? new Map<string, string | number>()
    for (const { placeholder, value } of values) stored.set(placeholder, value)
    this.#values.set(toolCallId, stored)
  }

  /** Returns the input with its secret values. Null if a value is lost, or belongs to another call. */
  restore(toolCallId: string, input: JsonValue): JsonValue | null {
    if (!hasPlaceholder(input)) return input
    const values = this.#values.get(toolCallId)
    let isComplete = true
    const restored = mapLeaves(input, (leaf) => {
      if (!isPlaceholder(leaf)) return leaf
      const value = values?.get(leaf)
      isComplete &&= value !== undefined
      return value ?? leaf
    })
    return isComplete ? restored : null
  }

  /** The input's secret values with their placeholders. Empty if any value is lost. */
  valuesIn(toolCallId: string, input: JsonValue): SecretValue[] {
    const restored = this.restore(toolCallId, input)
    return restored === null ? [] : sealedValues(input, restored)
  }

  /** Hides values that contain a secret of another call, such as the composite call around this one. */
  hideRepeats(toolCallId: string, value: JsonValue, otherCall: CallState): JsonValue {
    const { hasSecret } = replacerFor(this.valuesIn(otherCall.toolCallId, otherCall.input))
    return this.hide(toolCallId, value, (leaf) => hasSecret(`${leaf}`))
  }

  /** Forgets the secrets of calls and runs that have ended. */
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
