import type { ErrorData } from '../../protocol/error.ts'
import type { TurnCaps } from '../../protocol/model.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'

const DEFAULTS: Required<TurnCaps> = {
  calls: 64,
  text: 1_000_000,
  reasoning: 1_000_000,
  arguments: 1_000_000,
  metadata: 32_000_000,
  files: 32_000_000,
}

/** Counts the size of a model turn, so that an endless one can't fill the memory. */
export class TurnMeter {
  readonly #caps: Required<TurnCaps>
  readonly #countsRaw: boolean
  readonly #used = { calls: 0, text: 0, reasoning: 0, arguments: 0, metadata: 0, files: 0 }
  /** Calls that began to stream, with the number of argument characters so far. */
  readonly #streamed = new Map<string, number>()
  /** Calls whose arguments began to stream before their name. */
  readonly #nameless = new Set<string>()

  /** `raw`: whether each piece of the provider's data comes as a part. */
  constructor(caps: TurnCaps = {}, raw = false) {
    this.#countsRaw = !raw
    const given = Object.entries(caps).filter(([, cap]) => Number.isFinite(cap))
    this.#caps = { ...DEFAULTS, ...Object.fromEntries(given) }
  }

  /** Counts one more part. Returns an error if the turn exceeds a cap. */
  count(part: StreamPart): ErrorData | null {
    switch (part.type) {
      case 'text-delta':
        return this.#add('text', part.delta.length)
      case 'reasoning-delta':
        return this.#add('reasoning', part.delta.length)
      case 'tool-input-start':
        this.#streamed.set(part.toolCallId, 0)
        return this.#add('calls', this.#nameless.delete(part.toolCallId) ? 0 : 1)
      case 'tool-input-delta':
        return this.#begin(part.toolCallId) ?? this.#stream(part.toolCallId, part.delta.length)
      case 'tool-call': {
        const streamed = this.#streamed.get(part.toolCallId)
        this.#streamed.delete(part.toolCallId)
        const length = part.error
          ? (part.rawInput?.length ?? 0)
          : JSON.stringify(part.input ?? null).length
        return (
          this.#add('calls', streamed === undefined ? 1 : 0) ??
          this.#add('arguments', Math.max(0, length - (streamed ?? 0)))
        )
      }
      case 'file':
        return this.#add('files', part.file.data.length)
      case 'raw':
        // Raw pieces for logs repeat the whole stream, and none is kept, so they don't count.
        return this.#countsRaw
          ? this.#add('metadata', JSON.stringify(part.data)?.length ?? 0)
          : null
      default:
        return null
    }
  }

  #begin(toolCallId: string): ErrorData | null {
    if (this.#streamed.has(toolCallId)) return null
    this.#nameless.add(toolCallId)
    return this.#add('calls', 1)
  }

  #stream(toolCallId: string, length: number): ErrorData | null {
    this.#streamed.set(toolCallId, (this.#streamed.get(toolCallId) ?? 0) + length)
    return this.#add('arguments', length)
  }

  #add(what: keyof TurnCaps, amount: number): ErrorData | null {
    this.#used[what] += amount
    const cap = this.#caps[what]
    if (this.#used[what] <= cap) return null
    const unit = what === 'calls' ? 'calls' : `characters of ${what}`
    return {
      code: 'response-too-large',
      message: `The model's turn has more than ${cap} ${unit}; nothing of it ran. Ask for less at once, or raise caps.${what} of the model.`,
      retryable: false,
      details: { cap: what, limit: cap },
    }
  }
}
