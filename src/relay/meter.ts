import { isRecord } from '../lib/shape.ts'
import type { Body } from './wire-format.ts'

/** How an answer ended. `failed`: the vendor wrote nothing. */
export type Ending = 'whole' | 'cut' | 'failed'

/** Tokens of one answer. */
export interface RelayUsage {
  /** Cached input included. */
  readonly inputTokens: number
  /** Reasoning included. */
  readonly outputTokens: number
  /** The answer was cut off before the vendor said what it used, or the vendor doesn't say it. */
  readonly estimated: boolean
}

/** Fewer than in English prose, since code has fewer. In UTF-8, most characters of Chinese have three. */
const BYTES_A_TOKEN = 3
/** Reasoning that is not sent is billed. More than most models write. */
const TOKENS_A_SECOND = 100
const ENDS: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
])
/** Characters of a line, or of a JSON answer, at most. What is longer is not read. */
const MAX_TEXT = 16 * 1024 * 1024

/** Reads what an answer uses, while its bytes pass by. */
export class Meter {
  /** An upper estimate, for as long as nothing is known. */
  readonly reserved: number
  readonly #input: number
  readonly #maxOutput: number
  readonly #startedAt = Date.now()
  readonly #decoder = new TextDecoder()
  #isStream: boolean | null = null
  #isOver = false
  #line = ''
  #bytes = 0
  #reportedInput = 0
  #reportedOutput = 0

  /** `bytes` of the request's body, without its files. */
  constructor(bytes: number, maxOutputTokens: number) {
    this.#input = Math.ceil(bytes / BYTES_A_TOKEN)
    this.#maxOutput = maxOutputTokens
    this.reserved = this.#input + maxOutputTokens
  }

  push(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true })
    // Some servers send blank lines while the model works.
    if (this.#isStream === null && text.trim() === '') return
    // Content types are wrong too often.
    this.#isStream ??= !text.trimStart().startsWith('{')
    const [first = '', ...lines] = this.#isStream ? text.split('\n') : [text]
    this.#line += first
    for (const line of lines) {
      this.#readLine()
      this.#line = line
    }
    if (this.#line.length > MAX_TEXT) this.#line = ''
  }

  /** `isWhole`: the connection ended by itself. */
  end(isWhole: boolean): RelayUsage {
    if (!this.#isStream) this.#bytes = bytesOf(this.#line)
    this.#readLine()
    // Pages may leave once they have read the answer's own end.
    const isEnded = isWhole || this.#isOver
    const estimated = !(isEnded && this.#reportedOutput > 0)
    const seconds = isEnded ? 0 : (Date.now() - this.#startedAt) / 1000
    const written = Math.max(this.#bytes / BYTES_A_TOKEN, seconds * TOKENS_A_SECOND)
    const guess = Math.min(Math.ceil(written), this.#maxOutput)
    return {
      inputTokens: this.#reportedInput || this.#input,
      outputTokens: estimated ? Math.max(this.#reportedOutput, guess) : this.#reportedOutput,
      estimated,
    }
  }

  #readLine(): void {
    const data = this.#line.replace(/^data:/, '').trim()
    this.#line = ''
    if (data === '[DONE]') this.#isOver = true
    if (!data.startsWith('{')) return
    const event = parsed(data)
    if (!isRecord(event)) return
    if (ENDS.has(event['type'])) this.#isOver = true
    this.#bytes += bytesIn(event['delta']) + deltasOf(event['choices'])
    for (const place of [event, event['message'], event['response'], event['x_groq']])
      if (isRecord(place) && isRecord(place['usage'])) this.#take(place['usage'])
  }

  /** Counts are cumulative. Some proxies send 0 for "unknown" in the end. */
  #take(usage: Body): void {
    const cache =
      count(usage['cache_read_input_tokens']) + count(usage['cache_creation_input_tokens'])
    const input = count(usage['prompt_tokens']) || count(usage['input_tokens']) + cache
    const output = count(usage['completion_tokens']) || count(usage['output_tokens'])
    this.#reportedInput = Math.max(this.#reportedInput, input)
    this.#reportedOutput = Math.max(this.#reportedOutput, output)
  }
}

function count(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0
}

function deltasOf(choices: unknown): number {
  if (!Array.isArray(choices)) return 0
  return choices.reduce<number>(
    (sum, choice: unknown) => sum + (isRecord(choice) ? bytesIn(choice['delta']) : 0),
    0,
  )
}

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Bytes of all texts in a delta, in any of the formats. */
function bytesIn(delta: unknown): number {
  if (typeof delta === 'string') return bytesOf(delta)
  if (typeof delta !== 'object' || delta === null) return 0
  return Object.values(delta).reduce<number>((sum, value) => sum + bytesIn(value), 0)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
