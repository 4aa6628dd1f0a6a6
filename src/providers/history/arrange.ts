import type { AssistantMessage } from '../../protocol/message.ts'

type Part = AssistantMessage['parts'][number]

/**
 * The order of an assistant's parts, where a format holds text, reasoning and calls apart: `t` and `r` with
 * the length of a text, in UTF-16 units, and `c` for a call.
 */
export function orderOf(parts: readonly Part[]): string[] {
  return parts.map((part) =>
    part.type === 'tool-call' ? 'c' : `${part.type === 'text' ? 't' : 'r'}${part.text.length}`,
  )
}

/** The parts in an order that `orderOf` gave; as they are, where it isn't theirs (any more). */
export function arranged(parts: readonly Part[], order: unknown): readonly Part[] {
  if (!Array.isArray(order)) return parts
  const texts = new Cutter('text', parts)
  const thoughts = new Cutter('reasoning', parts)
  const calls = parts.filter((part) => part.type === 'tool-call')
  const arrangement = order.map((entry: unknown): Part | undefined => {
    const [, kind, length] = /^([trc])(\d{0,9})$/.exec(String(entry)) ?? []
    if (kind === 'c') return calls.shift()
    return (kind === 't' ? texts : thoughts).take(Number(length || NaN))
  })
  const isWhole = calls.length === 0 && texts.isDone && thoughts.isDone
  const known = arrangement.filter((part) => part !== undefined)
  return isWhole && known.length === arrangement.length ? known : parts
}

/** The texts of one kind, cut anew. */
class Cutter {
  readonly #type: 'text' | 'reasoning'
  readonly #parts: readonly Part[]
  readonly #text: string
  #at = 0
  #taken = 0

  constructor(type: 'text' | 'reasoning', parts: readonly Part[]) {
    this.#type = type
    this.#parts = parts.filter((part) => part.type === type)
    this.#text = this.#parts.map((part) => ('text' in part ? part.text : '')).join('')
  }

  get isDone(): boolean {
    return this.#at === this.#text.length
  }

  take(length: number): Part | undefined {
    const text = this.#text.slice(this.#at, this.#at + length)
    if (text.length !== length) return undefined
    this.#at += length
    const same = this.#parts[this.#taken++]
    return same && 'text' in same && same.text === text ? same : { type: this.#type, text }
  }
}
