import { isTagStart, lessThan } from '../char-codes.ts'
import { lookForCall } from './call-start.ts'
import { letter } from '../own-text.ts'
import { lookForBlock } from './place.ts'
import type { Mark, Place, Scan } from './place.ts'
import { matchReasoning } from './reasoning-marks.ts'

/** A fenced block: text, except for a call at its start or a block that ends the output (R3). */
export class Fence implements Place {
  readonly name = 'fence'
  readonly #scan: Scan
  readonly #prose: Place
  /** The fence follows a call, and isn't part of it. */
  readonly #isAfterCall: boolean

  constructor(scan: Scan, prose: Place) {
    this.#scan = scan
    this.#prose = prose
    this.#isAfterCall = scan.reply.isWhole
  }

  look(code: number): Mark | 'partial' | undefined {
    const { tracker } = this.#scan.code
    if (!isTagStart(code)) return tracker.lineStart ? lookForCall(this.#scan) : undefined
    tracker.flush()
    const block = code === lessThan && !this.#isAfterCall ? lookForBlock(this.#scan) : undefined
    return block ?? this.#lookForCloser(code) ?? lookForCall(this.#scan)
  }

  /** Finds the end of reasoning inside a fence that may be part of a marked call. */
  #lookForCloser(code: number): Mark | 'partial' | undefined {
    const { window, reply } = this.#scan
    if (!reply.isHeld || reply.takesCalls || this.#isAfterCall) return undefined
    // The bracket may begin the held text itself, unless a marker did.
    if (code !== lessThan && !reply.isMarked) return undefined
    return matchReasoning(window.text, window.at, { opens: false, lineStart: false })
  }

  take(code: number): Place {
    const { window, code: context, reply } = this.#scan
    context.feed(window.at, reply.isInsideMarked ? letter : code, false)
    return context.tracker.fenced ? this : this.#prose
  }
}
