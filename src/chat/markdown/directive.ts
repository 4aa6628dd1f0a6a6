import { type ElementPart, nothing } from 'lit'
import {
  Directive,
  directive,
  type DirectiveResult,
  type PartInfo,
  PartType,
} from 'lit/directive.js'
import type { MarkdownText } from './shown-markdown.ts'
import { SlicedMarkdown } from './sliced-markdown.ts'

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

const create = directive(MarkdownDirective)

/** Renders a model's Markdown into its element: `<div ${markdown(text)}></div>`. */
export function markdown(text: MarkdownText): DirectiveResult {
  return create(text)
}
