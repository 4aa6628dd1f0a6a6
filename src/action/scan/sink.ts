import type { FoundBlock, UnclosedReader } from '../pending-block.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'

export interface CallsOptions {
  /** State of quotations at the start of the text. */
  readonly quotations: QuotationTracker | undefined
  /** Shows the prose around the calls. */
  readonly show: (prose: string) => void
}

/** Kind of a text that starts like a call. `thoughtEnd`: reasoning, up to the closer at this position (R5). */
export type CallsFound = 'calls' | 'text' | { readonly thoughtEnd: number }

/** Receives the machine's output, in order. */
export interface Sink extends UnclosedReader {
  /** Receives text of the reply. */
  text(delta: string): void
  reasoning(delta: string): void
  /** Reports a reasoning closer without an opener: all text before was reasoning, including its calls. */
  loneCloser(): void
  /** Receives text that may start with a call, in reasoning without an end. Returns whether it is a call. */
  callInReasoning(text: string): boolean
  /** Returns whether a text that starts like a call in another format is one. */
  isCall(text: string): boolean
  /** Receives a text that starts with a call. */
  calls(text: string, options: CallsOptions): CallsFound
  /** Reports that the output ended inside the opener. */
  cutOpener(text: string): void
  /** Receives a block. Further output is text only if the block turns out to be reasoning. */
  block(found: FoundBlock): void
  /** Receives model output after the block. */
  ignored(text: string): void
}
