import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'
import { Blocks } from './blocks.ts'

/** A text of a model's, and how it is shown. */
export interface MarkdownText {
  readonly text: string
  /** No more of it comes. */
  readonly isWhole: boolean
  readonly options: MarkdownOptions
  /** For what is on its buttons. */
  readonly words: Pick<Words, 'copied' | 'copyCode' | 'image' | 'task'>
}

/**
 * A model's Markdown in an element, drawn as it comes: what is there is never parsed or drawn again. HTML in it is text, links
 * are http, https and mailto only and show where they lead, and no picture loads by itself.
 */
export class ShownMarkdown {
  readonly #element: Element
  #shown = ''
  #isWhole = false
  #blocks: Blocks | null = null

  constructor(element: Element) {
    this.#element = element
  }

  /** With a longer text: draws what came since. With another one: draws it anew. */
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
