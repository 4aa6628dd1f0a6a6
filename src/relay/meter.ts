import { isRecord } from '../lib/shape.ts'
import type { Body } from './wire-format.ts'

/** How an answer ended. `failed`: the vendor sent nothing. */
export type Ending = 'whole' | 'cut' | 'failed'

/** Tokens of one answer. */
export interface RelayUsage {
  /** Includes cached input. */
  readonly inputTokens: number
  /** Includes reasoning. */
  readonly outputTokens: number
  /** True if the vendor reported no usage, or the answer was cut off before the report. */
  readonly estimated: boolean
}

/**
 * Bytes per token. English prose has more, but code has fewer. A Chinese character usually has three bytes in UTF-8.
 */
const BYTES_A_TOKEN = 3
/** Estimated rate of reasoning that is billed but not sent. Most models are slower. */
const TOKENS_A_SECOND = 100
const ENDS: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
])
/** Maximum characters of a line or a JSON answer. Longer texts are not read. */
const MAX_TEXT = 16 * 1024 * 1024

/** Measures an answer's tokens while its bytes pass through. */
export class Meter {
  /** Upper estimate of tokens, used until the usage is known. */
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

  /** `bytes`: size of the request's body without files. */
  constructor(bytes: number, maxOutputTokens: number) {
    this.#input = Math.ceil(bytes / BYTES_A_TOKEN)
    this.#maxOutput = maxOutputTokens
    this.reserved = this.#input + maxOutputTokens
  }

  push(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true })
    // Skips blank lines, which some servers send while the model works.
    if (this.#isStream === null && text.trim() === '') return
    // Judged by the text, since content types are often wrong.
    this.#isStream ??= !text.trimStart().startsWith('{')
    const [first = '', ...lines] = this.#isStream ? text.split('\n') : [text]
    this.#line += first
    for (const line of lines) {
      this.#readLine()
      this.#line = line
    }
    if (this.#line.length > MAX_TEXT) this.#line = ''
  }

  /** Returns the usage. `isWhole`: the connection ended normally. */
  end(isWhole: boolean): RelayUsage {
    if (!this.#isStream) this.#bytes = bytesOf(this.#line)
    this.#readLine()
    // Pages may disconnect after reading the answer's end marker.
    const isEnded = isWhole || this.#isOver
    const estimated = !(isEnded && this.#reportedOutput > 0)
    const seconds = isEnded ? 0 : (Date.now() - this.#startedAt) / 1000
    const estimatedOutput = Math.max(this.#bytes / BYTES_A_TOKEN, seconds * TOKENS_A_SECOND)
    const guess = Math.min(Math.ceil(estimatedOutput), this.#maxOutput)
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
    const event = parseOrNull(data)
    if (!isRecord(event)) return
    if (ENDS.has(event['type'])) this.#isOver = true
    this.#bytes += bytesIn(event['delta']) + deltasOf(event['choices'])
    for (const source of [event, event['message'], event['response'], event['x_groq']])
      if (isRecord(source) && isRecord(source['usage'])) this.#addUsage(source['usage'])
  }

  /** Takes reported counts, which are cumulative. Uses the maximum: some proxies finally send 0 for "unknown". */
  #addUsage(usage: Body): void {
    const cache =
      count(usage['cache_read_input_tokens']) + count(usage['cache_creation_input_tokens'])
    const input = count(usage['prompt_tokens']) || count(usage['input_tokens']) + cache
    const output = count(usage['completion_tokens']) || count(usage['output_tokens'])
    // Gemini and xAI count reasoning in the total only.
    const outputFromTotal = input && count(usage['total_tokens']) - input
    this.#reportedInput = Math.max(this.#reportedInput, input)
    this.#reportedOutput = Math.max(this.#reportedOutput, output, outputFromTotal)
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

/** Length of a text in UTF-8 bytes. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

/** Bytes of all texts in a delta, in any format. */
function bytesIn(delta: unknown): number {
  if (typeof delta === 'string') return bytesOf(delta)
  if (typeof delta !== 'object' || delta === null) return 0
  return Object.values(delta).reduce<number>((sum, value) => sum + bytesIn(value), 0)
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
