import { positionOf, type Remembered, type RememberedCall } from '../../protocol/composite.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { sealedLike } from '../../protocol/sealed.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { type Outcome, outcomeOfCall, outcomeOfStep } from './outcomes.ts'

/**
 * Outcome of a call or step, and its place in the order in which all of them ended. The function gets outcomes in that
 * order.
 */
export interface Place {
  readonly place: number
  readonly outcome: Outcome
}

/** Calls and steps of the earlier executions of a composite tool's function. */
export class LivesBefore {
  readonly #calls = new Map<number, RememberedCall>()
  readonly #kept = new Map<string, JsonValue>()
  readonly #places: ReadonlyMap<string, number>
  /** Requests of earlier executions by position, until this execution repeats them. */
  readonly #wishes = new Map<number, string>()

  constructor({ calls, steps, ended }: Remembered) {
    this.#places = new Map(ended.map((id, place) => [id, place]))
    for (const { key, value } of steps) {
      this.#kept.set(key, value)
      this.#wishes.set(positionOf(key), wishOf(key))
    }
    for (const call of calls) {
      this.#calls.set(call.position, call)
      this.#wishes.set(call.position, callWish(call.toolName, call.input))
    }
  }

  /**
   * False if an earlier execution requested something else at this position. Requests that were never stored may be
   * anything.
   */
  meets(position: number, wish: string): boolean {
    const expected = this.#wishes.get(position)
    this.#wishes.delete(position)
    return expected === undefined || expected === wish
  }

  /** Does the same for a call. Secrets in its input, stored as placeholders, may have any value. */
  meetsCall(position: number, toolName: string, input: JsonValue): boolean {
    const call = this.#calls.get(position)
    return this.meets(position, callWish(toolName, call ? sealedLike(call.input, input) : input))
  }

  /** The first position whose earlier request this execution didn't repeat; null if it repeated all. */
  get missed(): number | null {
    return this.#wishes.keys().next().value ?? null
  }

  /** Returns the outcome of a call; null if the call is still open, or new. */
  callAt(position: number): Place | null {
    const call = this.#calls.get(position)
    const place = call && this.#places.get(call.toolCallId)
    return call?.end && place !== undefined
      ? { place, outcome: outcomeOfCall(call.end, call) }
      : null
  }

  stepOf(key: string): Place | null {
    const kept = this.#kept.get(key)
    const place = this.#places.get(key)
    return kept !== undefined && place !== undefined
      ? { place, outcome: outcomeOfStep(kept) }
      : null
  }

  kept(key: string): JsonValue | undefined {
    return this.#kept.get(key)
  }
}

function callWish(toolName: string, input: JsonValue): string {
  return `call:${toolName}:${canonicalJson(input)}`
}

export function stepWish(name: string): string {
  return `step:${name}`
}

/** Returns the request behind the key of a stored value. */
function wishOf(key: string): string {
  return key.replace(/^\d+(?:!begun)?:/, 'step:').replace(/^\d+!/, '')
}
