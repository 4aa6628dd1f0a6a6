import { type MarkdownText, ShownMarkdown } from './shown-markdown.ts'

/** Letters of one drawing: more would keep a slow machine from anything else for too long. */
const SLICE = 2000

/** What a Markdown's element dispatches, within the shadow root, as it grows between two drawings of the chat. */
export const GREW = 'offstage-grew'

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
    this.#drawn = Math.min(whole, this.#drawn + SLICE)
    const isAll = this.#drawn === whole
    const slice = isAll ? text : { ...text, text: text.text.slice(0, this.#drawn), isWhole: false }
    this.#shown.update(slice)
    if (!isAll) this.#drawNext()
  }

  #drawNext(): void {
    this.#isDue = true
    requestAnimationFrame(() => {
      this.#isDue = false
      if (this.#text) this.#draw(this.#text)
      this.#element.dispatchEvent(new Event(GREW, { bubbles: true }))
    })
  }
}
