import type { StreamPart } from '../protocol/stream-part.ts'
import { ProseScanner } from './prose-scanner.ts'
import type { ProseSink } from './prose-sink.ts'

export interface ThinkSplitterOptions {
  /** The prompt template already opened the reasoning, so the output starts inside it. */
  readonly reasoningPrefilled?: boolean
  /** Makes the part that replaces a closer without an opener. Default: none. */
  readonly loneCloser?: () => StreamPart
}

export interface ThinkSplitter {
  /** Returns the parts that this piece completes. Only what could still become a tag is held back. */
  push(text: string): StreamPart[]
  /** Ends the output: returns what was held back. */
  end(): StreamPart[]
}

/**
 * Splits inline reasoning (`<think>…</think>`, `<thinking>…</thinking>`) from the text around it,
 * whatever the chunking. Tags in inline code, fences and HTML comments are text. A closer without an
 * opener is dropped from the text; reasoning never closed stays reasoning.
 */
export function createThinkSplitter(options: ThinkSplitterOptions = {}): ThinkSplitter {
  const sink = new DeltaSink(options.loneCloser)
  const scanner = new ProseScanner(sink, { reasoning: options.reasoningPrefilled ?? false })
  return {
    push(text) {
      scanner.push(text)
      return sink.take()
    },
    end() {
      scanner.end()
      return sink.take()
    },
  }
}

class DeltaSink implements ProseSink {
  #parts: StreamPart[] = []
  /** White space right after reasoning is layout. */
  #trimNext = false
  readonly #loneCloser: ThinkSplitterOptions['loneCloser']

  constructor(loneCloser: ThinkSplitterOptions['loneCloser']) {
    this.#loneCloser = loneCloser
  }

  take(): StreamPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  text(text: string): void {
    const delta = this.#trimNext ? text.trimStart() : text
    if (delta === '') return
    this.#trimNext = false
    this.#parts.push({ type: 'text-delta', delta })
  }

  reasoning(delta: string): void {
    this.#parts.push({ type: 'reasoning-delta', delta })
  }

  reasoningEnd(lone: boolean): void {
    this.#trimNext = true
    if (lone && this.#loneCloser) this.#parts.push(this.#loneCloser())
  }

  readonly hasText = false

  isForeignCall(): boolean {
    return false
  }

  isCall(): boolean {
    return false
  }

  hold(): void {}
  holdAt(): void {}
  markHold(): void {}
  releaseHold(): void {}

  cutOpener(): void {}
  block(): void {}
  ignored(): void {}
}
