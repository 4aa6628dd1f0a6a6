import { type MarkdownText, ShownMarkdown } from './shown-markdown.ts'

/** Letters of one drawing, until it is known how long this machine takes for them. */
const FIRST_SLICE = 1000
const LEAST_SLICE = 250
const MOST_SLICE = 8000
/** What a drawing may take, with what is laid out for those who follow it: as much again is painted. Milliseconds. */
const WORK_OF_SLICE = 10

/** Letters of the next drawing, wherever it is: more would keep a slow machine from anything else for too long. */
let slice = FIRST_SLICE

/** What a Markdown's element dispatches, within the shadow root, as it grows between two drawings of the chat. */
export const GREW = 'offstage-grew'
/** With when its script began, as of `performance.now()`. */
export type Grew = CustomEvent<number>

/** Markdown in an element, of which no more than a slice is drawn at once, and the rest frame by frame. */
export class SlicedMarkdown {
  readonly #element: Element
  readonly #shown: ShownMarkdown
  #text: MarkdownText | null = null
  /** Letters. */
  #drawn = 0
  #isDue = false

  constructor(element: Element) {
    this.#element = element
    this.#shown = new ShownMarkdown(element)
  }

  update(text: MarkdownText): void {
    if (this.#text && !text.text.startsWith(this.#text.text.slice(0, this.#drawn))) this.#drawn = 0
    this.#text = text
    if (!this.#isDue) this.#draw(text)
  }

  #draw(text: MarkdownText): void {
    const whole = text.text.length
    this.#drawn = Math.min(whole, this.#drawn + slice)
    const isAll = this.#drawn === whole
    const part = isAll ? text : { ...text, text: text.text.slice(0, this.#drawn), isWhole: false }
    this.#shown.update(part)
    if (!isAll) this.#drawNext()
  }

  #drawNext(): void {
    this.#isDue = true
    requestAnimationFrame(() => {
      this.#isDue = false
      const [begun, before] = [performance.now(), this.#drawn]
      if (this.#text) this.#draw(this.#text)
      const grew: Grew = new CustomEvent(GREW, { bubbles: true, detail: begun })
      this.#element.dispatchEvent(grew)
      learn(this.#drawn - before, performance.now() - begun)
    })
  }
}

/** By halves at most: one drawing may have been interrupted by something else. */
function learn(letters: number, ms: number): void {
  if (letters < slice / 2) return
  const wanted = (letters * WORK_OF_SLICE) / Math.max(ms, 0.1)
  const next = Math.min(slice * 2, Math.max(slice / 2, wanted))
  slice = Math.round(Math.min(MOST_SLICE, Math.max(LEAST_SLICE, next)))
}
