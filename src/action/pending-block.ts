import { BlockCapture } from './block-capture.ts'
import type { CaptureContext } from './block-capture.ts'
import { matchOpener } from './block-opener.ts'
import type { Opener } from './block-opener.ts'
import type { ReasoningEnd } from './scan/reasoning-marks.ts'
import { isBlockLast, TrailingText } from './trailing-text.ts'

export interface FoundBlock {
  readonly content: string
  readonly tooLong: boolean
  /** The block has a closing tag. Otherwise the end of the output ended it. */
  readonly isClosed: boolean
}

/** Outcome of a pending block: a block, or text including the opener. `rest`: text after it. */
export type BlockOutcome = { readonly rest: string } & (
  | { readonly block: FoundBlock; readonly written: string }
  | { readonly text: string }
)

export interface PendingBlockOptions {
  readonly context: CaptureContext
  /** Detects the end of the reasoning around the block. */
  readonly endsThought?: ReasoningEnd
  readonly opener: Opener
  /** Only the fence line precedes the opener in its fence. */
  readonly aloneInFence: boolean
  /** The opener and the fence line before it, as written. */
  readonly before: string
}

/** Reads the content of a block without a closer. */
export interface UnclosedReader {
  /** A limit cut the output off. */
  readonly isCut: boolean
  /** Returns whether the content is a call in another format. */
  isForeignCall(content: string): boolean
  /** Returns where reasoning without an opener ends in the content. The block is then part of that reasoning. */
  thoughtEnd(content: string): number | undefined
}

/** Detects where blocks start, and opens them. */
export interface BlockDetector {
  match(text: string, at: number, lineStart: boolean): Opener | 'partial' | undefined
  open(options: PendingBlockOptions): PendingBlock
}

/** `maxLength`: maximum length of a block in characters. */
export function createBlockDetector(maxLength: number): BlockDetector {
  return { match: matchOpener, open: (options) => new PendingBlock(options, maxLength) }
}

/** A block from its opener until it is complete or turns out to be text (R2, R3, R5, R6). */
export class PendingBlock {
  readonly #options: PendingBlockOptions
  readonly #capture: BlockCapture
  /** Text after a block that counts only at the end of the output. Undefined until the block is complete. */
  #trailing: TrailingText | undefined

  constructor(options: PendingBlockOptions, maxLength: number) {
    this.#options = options
    this.#capture = new BlockCapture({ ...options, maxLength })
  }

  /** Feeds a piece of the output. Returns the outcome once it is certain. */
  push(piece: string): BlockOutcome | undefined {
    const { context, opener } = this.#options
    if (opener.selfClosing) return this.#found(piece)
    if (this.#trailing) return this.#follow(this.#trailing, piece)
    const rest = this.#capture.push(piece)
    const { state } = this.#capture
    if (state === 'text') return this.#asText(rest)
    if (state === 'open') return undefined
    if (context === 'prose' || state === 'too-long') return this.#found(rest)
    this.#trailing = new TrailingText(this.#options.aloneInFence, this.#options.endsThought)
    return this.#follow(this.#trailing, rest)
  }

  /** Ends the output. */
  end(reader: UnclosedReader): BlockOutcome {
    const { context, aloneInFence } = this.#options
    const trailing = this.#trailing?.text
    if (trailing !== undefined) {
      // A limit cut the model off during its reasoning, so the block is a draft.
      const isDraft = context === 'reasoning' && reader.isCut
      return isBlockLast(trailing) && !isDraft ? this.#found('') : this.#asText(trailing)
    }
    const { content, isMention, unclosed } = this.#capture
    const counts = context === 'prose' || aloneInFence
    if (!counts || (isMention && !reader.isForeignCall(content))) return this.#asText('')
    const end = reader.thoughtEnd(unclosed.content)
    if (end === undefined) return this.#found(unclosed.rest, unclosed.content, false)
    return { text: this.#options.before + content.slice(0, end), rest: content.slice(end) }
  }

  /**
   * Checks text after a block that counts only at the end of the output. Only white space and the end of its fence may
   * follow.
   */
  #follow(trailing: TrailingText, piece: string): BlockOutcome | undefined {
    const kind = trailing.push(piece)
    if (kind === 'open') return undefined
    return kind === 'end' ? this.#found(trailing.text) : this.#asText(trailing.text)
  }

  #found(rest: string, content: string = this.#capture.content, isClosed = true): BlockOutcome {
    const { before } = this.#options
    const tooLong = this.#capture.state === 'too-long'
    const written = before + this.#capture.written
    return { block: { content, tooLong, isClosed }, written, rest }
  }

  #asText(rest: string): BlockOutcome {
    return { text: this.#options.before + this.#capture.written, rest }
  }
}
