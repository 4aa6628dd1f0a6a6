import { type ElementPart, nothing } from 'lit'
import {
  Directive,
  directive,
  type DirectiveResult,
  type PartInfo,
  PartType,
} from 'lit/directive.js'
import { type MarkdownText, ShownMarkdown } from './shown-markdown.ts'

/** Characters of one drawing, until this machine's speed is known. */
const FIRST_SLICE = 1000
const LEAST_SLICE = 250
const MOST_SLICE = 8000
/** Time for one drawing, including layout by listeners; painting takes as long again. Milliseconds. */
const WORK_OF_SLICE = 10

/** Characters of the next drawing, shared by all texts. More would block a slow machine for too long. */
let slice = FIRST_SLICE

/** Event that a Markdown element dispatches within the shadow root when it grows between two drawings of the chat. */
export const GREW = 'offstage-grew'
/** `detail`: when the drawing's script began, as `performance.now()`. */
export type Grew = CustomEvent<number>

/** Draws Markdown in slices: the first one at once, the rest frame by frame. */
class SlicedMarkdown {
  readonly #element: Element
  readonly #shown: ShownMarkdown
  #text: MarkdownText | null = null
  /** Characters drawn so far. */
  #drawn = 0
  #isScheduled = false

  constructor(element: Element) {
    this.#element = element
    this.#shown = new ShownMarkdown(element)
  }

  update(text: MarkdownText): void {
    if (this.#text && !text.text.startsWith(this.#text.text.slice(0, this.#drawn))) this.#drawn = 0
    this.#text = text
    if (!this.#isScheduled) this.#draw(text)
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
    this.#isScheduled = true
    requestAnimationFrame(() => {
      this.#isScheduled = false
      const [startedAt, drawnBefore] = [performance.now(), this.#drawn]
      if (this.#text) this.#draw(this.#text)
      const grew: Grew = new CustomEvent(GREW, { bubbles: true, detail: startedAt })
      this.#element.dispatchEvent(grew)
      adaptSlice(this.#drawn - drawnBefore, performance.now() - startedAt)
    })
  }
}

/** Adapts the slice, at most by half or double: something else may have interrupted the drawing. */
function adaptSlice(characters: number, ms: number): void {
  if (characters < slice / 2) return
  const target = (characters * WORK_OF_SLICE) / Math.max(ms, 0.1)
  const next = Math.min(slice * 2, Math.max(slice / 2, target))
  slice = Math.round(Math.min(MOST_SLICE, Math.max(LEAST_SLICE, next)))
}

class MarkdownDirective extends Directive {
  #shown: SlicedMarkdown | null = null

  constructor(part: PartInfo) {
    super(part)
    if (part.type !== PartType.ELEMENT) throw new Error('Markdown is shown in an element.')
  }

  render(_text: MarkdownText): typeof nothing {
    return nothing
  }

  override update({ element }: ElementPart, [text]: [MarkdownText]): typeof nothing {
    this.#shown ??= new SlicedMarkdown(element)
    this.#shown.update(text)
    return nothing
  }
}

const markdownDirective = directive(MarkdownDirective)

/** Renders a model's Markdown into its element: `<div ${markdown(text)}></div>`. */
export function markdown(text: MarkdownText): DirectiveResult {
  return markdownDirective(text)
}
