import type { AssistantMessage } from '../../protocol/message.ts'

type Part = AssistantMessage['parts'][number]

/**
 * The order of an assistant message's parts, for formats that separate text, reasoning and calls. `t` (text) and
 * `r` (reasoning) are followed by a length in UTF-16 units. `c` is a call, `f` a file.
 */
export function orderOf(parts: readonly Part[]): string[] {
  return parts.map((part) => {
    switch (part.type) {
      case 'tool-call':
        return 'c'
      case 'file':
        return 'f'
      case 'text':
        return `t${part.text.length}`
      case 'reasoning':
        return `r${part.text.length}`
      default:
        return part satisfies never
    }
  })
}

/** Restores an order from `orderOf`. If it doesn't fit the parts (any more), they stay as they are. */
export function arranged(parts: readonly Part[], order: unknown): readonly Part[] {
  if (!Array.isArray(order)) return parts
  const texts = new Cutter('text', parts)
  const thoughts = new Cutter('reasoning', parts)
  const calls = parts.filter((part) => part.type === 'tool-call')
  const files = parts.filter((part) => part.type === 'file')
  const arrangement = order.map((entry: unknown): Part | undefined => {
    const [, kind, length] = /^([trcf])(\d{0,9})$/.exec(String(entry)) ?? []
    if (kind === 'c') return calls.shift()
    if (kind === 'f') return files.shift()
    return (kind === 't' ? texts : thoughts).take(Number(length || NaN))
  })
  const isWhole = calls.length + files.length === 0 && texts.isDone && thoughts.isDone
  const known = arrangement.filter((part) => part !== undefined)
  return isWhole && known.length === arrangement.length ? known : parts
}

/** Joins all texts of one type and cuts them at other lengths. */
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
