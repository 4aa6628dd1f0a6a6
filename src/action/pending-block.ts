import { BlockCapture } from './block-capture.ts'
import type { CaptureContext } from './block-capture.ts'
import { matchOpener } from './block-opener.ts'
import type { Opener } from './block-opener.ts'
import { isBlockLast, classifyTrailing } from './trailing-text.ts'

export interface FoundBlock {
  readonly content: string
  readonly tooLong: boolean
  /** Its closing tag was there; else the end of the output ended it. */
  readonly isClosed: boolean
}

/** The state of a block. `text`: it is none, and all of it is text again. */
export type BlockOutcome =
  | { readonly type: 'open' }
  | { readonly type: 'found'; readonly block: FoundBlock; readonly rest: string }
  | { readonly type: 'text'; readonly text: string; readonly rest: string }

export interface PendingBlockOptions {
  readonly context: CaptureContext
  readonly opener: Opener
  /** Nothing but the fence line stands before the opener in its fence. */
  readonly aloneInFence: boolean
  /** The opener, and the fence line before it, as written. */
  readonly before: string
}

/** Detects where blocks start, and opens them. */
export class BlockDetector {
  readonly #maxLength: number

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  match(text: string, at: number, lineStart: boolean): Opener | 'partial' | undefined {
    return matchOpener(text, at, lineStart)
  }

  open(options: PendingBlockOptions): PendingBlock {
    return new PendingBlock(options, this.#maxLength)
  }
}

/** A block from its opener on, until it is found or text (R2, R3, R5, R6). */
export class PendingBlock {
  readonly #options: PendingBlockOptions
  readonly #capture: BlockCapture
  /** What follows a block that counts only at the end of the output; undefined while it is captured. */
  #trailing: string | undefined

  constructor(options: PendingBlockOptions, maxLength: number) {
    this.#options = options
    this.#capture = new BlockCapture({ ...options, maxLength })
  }

  /** Takes a piece of the output. */
  push(piece: string): BlockOutcome {
    if (this.#options.opener.selfClosing) return this.#found(piece)
    if (this.#trailing !== undefined) return this.#follow(this.#trailing, piece)
    const rest = this.#capture.push(piece)
    const { state } = this.#capture
    if (state === 'text') return this.#asText(rest)
    if (state === 'open') return { type: 'open' }
    if (this.#options.context === 'prose' || state === 'too-long') return this.#found(rest)
    return this.#follow('', rest)
  }

  /** The output is over. `isCall`: whether the content is a call in another format. */
  end(isCall: (content: string) => boolean): BlockOutcome {
    const capture = this.#capture
    if (this.#trailing !== undefined)
      return isBlockLast(this.#trailing) ? this.#found('') : this.#asText(this.#trailing)
    const counts = this.#options.context === 'prose' || this.#options.aloneInFence
    if (!counts || (capture.isMention && !isCall(capture.content))) return this.#asText('')
    const { content, rest } = capture.unclosed
    return { type: 'found', block: { content, tooLong: false, isClosed: false }, rest }
  }

  /** After a block that counts only at the end of the output: white space, and the fence's own end. */
  #follow(before: string, piece: string): BlockOutcome {
    const trailing = before + piece
    this.#trailing = trailing
    if (piece.trim() === '' && before !== '') return { type: 'open' }
    const kind = classifyTrailing(trailing, this.#options.aloneInFence)
    if (kind === 'end') return this.#found(trailing)
    return kind === 'text' ? this.#asText(trailing) : { type: 'open' }
  }

  #found(rest: string): BlockOutcome {
    const { content, state } = this.#capture
    return {
      type: 'found',
      block: { content, tooLong: state === 'too-long', isClosed: true },
      rest,
    }
  }

  #asText(rest: string): BlockOutcome {
    return { type: 'text', text: this.#options.before + this.#capture.written, rest }
  }
}
