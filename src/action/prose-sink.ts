import type { ForeignDetector } from './foreign/foreign-detector.ts'
import type { BlockDetector, FoundBlock } from './pending-block.ts'
import type { QuotationTracker } from './quotation-tracker.ts'

/** Receives what the scanner finds, in order. */
export interface ProseSink {
  /** Text of the reply. */
  text(delta: string): void
  /** Text that may be a call in another format. */
  hold(delta: string): void
  /** The state of quotations where the text that is held from now on starts. */
  holdAt(quotations: QuotationTracker): void
  /** Another construct follows what is held. */
  markHold(): void
  /** What is held turned out to be text. */
  releaseHold(): void
  /** Whether what is held since the mark, and `rest`, is a call. */
  isCall(rest: string): boolean
  /** Some text that is not white space was shown. */
  readonly hasText: boolean
  reasoning(delta: string): void
  /** Reasoning ended: what follows starts a line of its own. */
  reasoningEnd(lone: boolean): void
  /** Whether a block without a closer holds a call in another format. */
  isForeignCall(content: string): boolean
  /** The output ended inside the opener. */
  cutOpener(text: string): void
  /** A block was found; nothing that follows is text. */
  block(found: FoundBlock): void
  /** Model output after the block. */
  ignored(text: string): void
}

export interface ProseOptions {
  /** The output starts inside reasoning. */
  readonly reasoning: boolean
  /** Recognises blocks; absent when there are none to look for. */
  readonly blocks?: BlockDetector
  /** Recognises calls in other formats; absent when there are none to look for. */
  readonly foreign?: ForeignDetector
  /** Follows quotations, for native mode: calls count only outside of them (Q2). */
  readonly quotations?: QuotationTracker
}
