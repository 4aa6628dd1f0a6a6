import type { StreamPart } from '../protocol/message.ts'
import { OutputMachine } from './scan/output-machine.ts'
import type { Sink } from './scan/reply-buffer.ts'

/** Options of `createThinkSplitter`: where the output begins, and what replaces a lone closing tag. */
export interface ThinkSplitterOptions {
  /** The prompt template already opened the reasoning, so the output starts inside it. */
  readonly reasoningPrefilled?: boolean
  /** Creates the part that replaces a closing tag without an opening tag. Default: the tag is dropped. */
  readonly loneCloser?: () => StreamPart
}

/** Splits one model output into reply and reasoning as it streams. Create a new splitter for each output. */
export interface ThinkSplitter {
  /** Returns the parts completed by this piece. Holds back only text that could still become a tag. */
  push(text: string): StreamPart[]
  /** Ends the output and returns the text that was held back. */
  end(): StreamPart[]
}

/**
 * Splits inline reasoning (`<think>…</think>` and the other marks of R5) from the reply, however the text is chunked.
 * Tags in inline code, fences and HTML comments are text. A closing tag without an opening tag is dropped. Unclosed
 * reasoning stays reasoning. Tokens around a reply and harmony's headers are dropped, and so is everything after the
 * next turn's header (R4).
 */
export function createThinkSplitter(options: ThinkSplitterOptions = {}): ThinkSplitter {
  const sink = new DeltaSink(options.loneCloser)
  const machine = new OutputMachine(sink, {
    inReasoning: options.reasoningPrefilled ?? false,
  })
  return {
    push(text) {
      machine.push(text)
      return sink.drain()
    },
    end() {
      machine.end()
      return sink.drain()
    },
  }
}

class DeltaSink implements Sink {
  readonly isCut = false
  #parts: StreamPart[] = []
  readonly #loneCloser: ThinkSplitterOptions['loneCloser']

  constructor(loneCloser: ThinkSplitterOptions['loneCloser']) {
    this.#loneCloser = loneCloser
  }

  drain(): StreamPart[] {
    const parts = this.#parts
    this.#parts = []
    return parts
  }

  onText(delta: string): void {
    this.#parts.push({ type: 'text-delta', delta })
  }

  onReasoning(delta: string): void {
    this.#parts.push({ type: 'reasoning-delta', delta })
  }

  onLoneCloser(): void {
    if (this.#loneCloser) this.#parts.push(this.#loneCloser())
  }

  isCall(): boolean {
    return false
  }

  readCalls(): 'text' {
    return 'text'
  }

  onCallInReasoning(): boolean {
    return false
  }

  isForeignCall(): boolean {
    return false
  }

  reasoningEnd(): undefined {}
  onCutOpener(): void {}
  onBlock(): void {}
  onIgnored(): void {}
}
