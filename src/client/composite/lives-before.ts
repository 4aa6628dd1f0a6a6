import { positionOf, type Remembered, type RememberedCall } from '../../protocol/composite.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { sealedLike } from '../../protocol/sealed.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { type Outcome, outcomeOfCall, outcomeOfStep } from './outcomes.ts'

/** What something came to, and when the function gets it: its place in the order of all that ended. */
export interface Place {
  readonly place: number
  readonly outcome: Outcome
}

/** What the function of a composite tool did in its lives before. */
export class LivesBefore {
  readonly #calls = new Map<number, RememberedCall>()
  readonly #kept = new Map<string, JsonValue>()
  readonly #places: ReadonlyMap<string, number>
  /** What was asked for at each position, and not yet in this life. */
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

  /** False where something else was asked for. What had not come to be stored may be anything. */
  meets(position: number, wish: string): boolean {
    const expected = this.#wishes.get(position)
    this.#wishes.delete(position)
    return expected === undefined || expected === wish
  }

  /** The same of a call; what is sealed of its input may be anything. */
  meetsCall(position: number, toolName: string, input: JsonValue): boolean {
    const call = this.#calls.get(position)
    return this.meets(position, callWish(toolName, call ? sealedLike(call.input, input) : input))
  }

  /** The first position whose wish this life didn't have; null: it had all of them. */
  get missed(): number | null {
    return this.#wishes.keys().next().value ?? null
  }

  /** Null: it is open, or new. */
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

/** What was asked for, by the key of what was kept. */
function wishOf(key: string): string {
  return key.replace(/^\d+(?:!begun)?:/, 'step:').replace(/^\d+!/, '')
}
