import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'
import { Blocks } from './blocks.ts'

/** A model's text, with the options to show it. */
export interface MarkdownText {
  readonly text: string
  /** True once the text is complete. */
  readonly isWhole: boolean
  readonly options: MarkdownOptions
  /** Labels of the buttons. */
  readonly words: Pick<Words, 'copied' | 'copyCode' | 'image' | 'task'>
}

/**
 * A model's Markdown in an element, drawn as it streams; finished text is never parsed or drawn again. HTML is shown as text.
 * Links can be http, https or mailto and show their host. Pictures load only when pressed, or if their origin is in
 * `imageOrigins`.
 */
export class ShownMarkdown {
  readonly #element: Element
  #shown = ''
  #isWhole = false
  #blocks: Blocks | null = null

  constructor(element: Element) {
    this.#element = element
  }

  /** Draws only the new part if the text continues the previous one; otherwise draws all of it. */
  update({ text, isWhole, options, words }: MarkdownText): void {
    if (this.#blocks && text === this.#shown && isWhole === this.#isWhole) return
    const goesOn = !this.#isWhole && text.startsWith(this.#shown)
    if (!goesOn || !this.#blocks) {
      this.#element.replaceChildren()
      this.#blocks = new Blocks(this.#element, { options, words })
      this.#shown = ''
    }
    this.#blocks.write(text.slice(this.#shown.length))
    this.#blocks.draw(!isWhole)
    this.#shown = text
    this.#isWhole = isWhole
  }
}
