import { dash, lessThan, moreThan } from '../char-codes.ts'
import { Fence } from './fence.ts'
import { lookForBlock } from './place.ts'
import type { Mark, Place, Scan } from './place.ts'

/** An HTML comment: nothing counts, unless it is never closed and a block ends the output in it (R3). */
export class Comment implements Place {
  readonly name = 'comment'
  readonly #scan: Scan
  readonly #prose: Place
  #dashes = 0

  constructor(scan: Scan, prose: Place) {
    this.#scan = scan
    this.#prose = prose
  }

  look(code: number): Mark | 'partial' | undefined {
    if (code !== lessThan || this.#scan.reply.isWhole) return undefined
    this.#scan.code.tracker.flush()
    return lookForBlock(this.#scan)
  }

  take(code: number): Place {
    const { window, code: context, quotations } = this.#scan
    const isOver = code === moreThan && this.#dashes >= 2
    this.#dashes = code === dash ? this.#dashes + 1 : 0
    if (!context.tracker.fenced) quotations?.feed(code)
    context.feed(window.at, code, false)
    if (!isOver) return this
    return context.tracker.fenced ? new Fence(this.#scan, this.#prose) : this.#prose
  }
}
