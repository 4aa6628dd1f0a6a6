import type { BlockStart, FoundBlock } from './pending-block.ts'
import type { ForeignStart } from './foreign/foreign-start.ts'
import type { Place } from './place.ts'

/** Where the scanner's findings go, in order. */
export interface ProseSink {
  /** The person's text. */
  text(delta: string): void
  /** Text that may be a call in another format. */
  hold(delta: string): void
  /** What is held from now on stands at this place. */
  holdAt(place: Place): void
  /** Another construct follows what is held. */
  markHold(): void
  /** What is held is text after all. */
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
  readonly blocks?: BlockStart
  /** Recognises calls in other formats; absent when there are none to look for. */
  readonly foreign?: ForeignStart
  /** Where the output starts: calls count only where they are the model's own words (Q2). */
  readonly place?: Place
}
