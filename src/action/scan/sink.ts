import type { FoundBlock, UnclosedReader } from '../pending-block.ts'
import type { QuotationTracker } from '../quotation-tracker.ts'

export interface CallsOptions {
  /** The state of quotations where the text starts. */
  readonly quotations: QuotationTracker | undefined
  /** Shows the prose around the calls. */
  readonly show: (prose: string) => void
}

/** What a text that starts like a call is. `thoughtEnd`: a thought, up to the closer at this position (R5). */
export type CallsFound = 'calls' | 'text' | { readonly thoughtEnd: number }

/** Receives what the machine finds, in order. */
export interface Sink extends UnclosedReader {
  /** Text of the reply. */
  text(delta: string): void
  reasoning(delta: string): void
  /** Reasoning ended that was never opened: all before was reasoning, with the calls in it. */
  loneCloser(): void
  /** The output ended inside reasoning, and this text in it may start with a call; true when it does. */
  callInReasoning(text: string): boolean
  /** Whether a text that starts like a call in another format is one. */
  isCall(text: string): boolean
  /** Takes the calls of a text that starts with one. */
  calls(text: string, options: CallsOptions): CallsFound
  /** The output ended inside the opener. */
  cutOpener(text: string): void
  /** A block was found; what follows is text only if the block turns out to be a thought. */
  block(found: FoundBlock): void
  /** Model output after the block. */
  ignored(text: string): void
}
