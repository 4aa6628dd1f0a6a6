import { isBlank, isTagStart } from '../char-codes.ts'
import { matchCloser, matchHeader } from './harmony.ts'
import { lookForBlock, mayStartMark } from './place.ts'
import type { Mark, Place, Scan } from './place.ts'
import { matchReasoning } from './reasoning-marks.ts'
import type { ReasoningEnd } from './reasoning-marks.ts'

/** The most positions in a thought that are remembered because a call may start there. */
const maxCalls = 8

/** What opened a thought: a tag that this closer ends, a header of harmony, or the prompt's template. */
export type Opening = { readonly closer: string } | 'header' | 'prompt'

/** Reasoning: only its end counts, and a block that ends the output (R5). */
export class Thought implements Place {
  readonly name = 'reasoning'
  readonly #scan: Scan
  readonly #opening: Opening
  /** Nothing but white space so far: after the prompt's opener, an opening tag repeats it. */
  #isFirst = true
  readonly #pieces: string[] = []
  #length = 0
  readonly #calls: number[] = []

  constructor(scan: Scan, opening: Opening) {
    this.#scan = scan
    this.#opening = opening
  }

  look(code: number): Mark | 'partial' | undefined {
    const { tracker } = this.#scan.code
    const isTag = isTagStart(code)
    if (!isTag && !tracker.lineStart) return undefined
    tracker.flush()
    const start = !isTag || mayStartMark(this.#scan.window)
    if (start !== true) return start || undefined
    const mark = isTag ? this.#lookForMark(tracker.lineStart) : undefined
    if (typeof mark === 'object' && mark.type === 'block') this.#remember()
    return mark ?? (this.#lookForCall() ? 'partial' : undefined)
  }

  take(code: number): Place {
    const { window, code: context } = this.#scan
    if (!isBlank(code)) this.#isFirst = false
    context.feed(window.at, code, false)
    return this
  }

  /** What stands at the window's position could become its end, or a repeated opener. */
  get isCutMark(): boolean {
    return this.#lookForMark(this.#scan.code.tracker.lineStart) === 'partial'
  }

  /** Some text of it was returned. */
  keep(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
  }

  /** The texts in it that may start with a call. */
  *calls(): Iterable<string> {
    const text = this.#pieces.join('')
    for (const at of this.#calls) yield text.slice(at)
  }

  #lookForMark(lineStart: boolean): Mark | 'partial' | undefined {
    const { text, at } = this.#scan.window
    const block = lookForBlock(this.#scan)
    if (block) return block
    const opens = this.#opening === 'prompt' && this.#isFirst
    return this.#matchTag(text, at, { opens, lineStart })
  }

  /** Whether it ends at a position. */
  readonly endsAt: ReasoningEnd = (text, at) => {
    const mark = this.#matchTag(text, at, { opens: false, lineStart: false })
    return mark === 'partial' ? mark : mark !== undefined
  }

  #matchTag(
    text: string,
    at: number,
    where: { readonly opens: boolean; readonly lineStart: boolean },
  ): Mark | 'partial' | undefined {
    const opening = this.#opening
    const closer = typeof opening === 'object' ? opening.closer : undefined
    const tag = matchReasoning(text, at, { ...where, ...(closer && { closer }) })
    return typeof tag === 'object' || opening !== 'header' ? tag : (matchMessage(text, at) ?? tag)
  }

  /** Remembers where a call may start; true when more input decides that. */
  #lookForCall(): boolean {
    const { window, code, foreign } = this.#scan
    if (code.tracker.inRun) return false
    const { text, at } = window
    const { lineStart } = code.tracker
    const call = foreign?.match(text, { at, lineStart, quotations: undefined })
    if (typeof call === 'object') this.#remember()
    return call === 'partial'
  }

  #remember(): void {
    const position = this.#length + this.#scan.window.at
    if (this.#calls.length < maxCalls && position > (this.#calls.at(-1) ?? -1))
      this.#calls.push(position)
  }
}

/** A message of harmony ends with its closer, or where the next one starts. */
function matchMessage(text: string, at: number): Mark | 'partial' | undefined {
  const closer = matchCloser(text, at)
  if (closer !== undefined)
    return closer === 'partial' ? closer : { type: 'thought-end', end: closer }
  const header = matchHeader(text, at, false)
  return typeof header === 'object' ? { type: 'thought-end', end: at } : header
}
