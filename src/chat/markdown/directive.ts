import { type ElementPart, nothing } from 'lit'
import {
  Directive,
  directive,
  type DirectiveResult,
  type PartInfo,
  PartType,
} from 'lit/directive.js'
import type { MarkdownOptions } from '../context.ts'
import type { Words } from '../words/words.ts'
import { domRenderer } from './dom-renderer.ts'
import { guardedParser, type MarkdownParser } from './guarded-parser.ts'

/** Of a text that is shown: its options, and whether no more of it comes. */
export interface MarkdownText {
  readonly text: string
  readonly isWhole: boolean
  readonly options: MarkdownOptions
  readonly words: Words
}

class MarkdownDirective extends Directive {
  #shown = ''
  #isWhole = false
  #parser: MarkdownParser | null = null

  constructor(part: PartInfo) {
    super(part)
    if (part.type !== PartType.ELEMENT) throw new Error('Markdown is shown in an element.')
  }

  render(_text: MarkdownText): typeof nothing {
    return nothing
  }

  /** What is shown stays as it is: the parser is given what came since. */
  override update({ element }: ElementPart, [shown]: [MarkdownText]): typeof nothing {
    const { text, isWhole, options, words } = shown
    if (text === this.#shown && isWhole === this.#isWhole) return nothing
    const goesOn = this.#parser && !this.#isWhole && text.startsWith(this.#shown)
    if (!goesOn) {
      element.replaceChildren()
      this.#parser = guardedParser(domRenderer(element, options, words))
      this.#shown = ''
    }
    this.#parser?.write(text.slice(this.#shown.length))
    if (isWhole) this.#parser?.end()
    this.#shown = text
    this.#isWhole = isWhole
    return nothing
  }
}

const create = directive(MarkdownDirective)

/** Fills its element with a model's Markdown: `<div ${markdown(text)}></div>`. */
export function markdown(text: MarkdownText): DirectiveResult {
  return create(text)
}
