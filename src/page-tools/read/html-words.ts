import { isDisplayed, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { Size } from './fit-picture.ts'

/** A word, where it stands in a picture. */
export interface Word {
  readonly text: string
  readonly x: number
  /** Of its middle. */
  readonly y: number
  readonly width: number
  readonly font: string
  readonly colour: string
}

const MAX_WORDS = 3000
/** A line's height in parts of its font's size, as most fonts have it. */
const LINE = 1.17

/** The words of a drawing's HTML parts, which browsers don't let a page draw. `size`: the picture's. */
export function htmlWords(drawing: SVGSVGElement, box: DOMRect, size: Size): readonly Word[] {
  const words: Word[] = []
  const document = native.ownerDocument(drawing)
  const scale = size.width / box.width
  for (const part of native.querySelectorAll(drawing, 'foreignObject')) {
    const walker = nativeDocument.createTreeWalker(document, part, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const holder = native.parentElement(node)
      const isSeen =
        holder && isDisplayed(holder, { opacityProperty: true, visibilityProperty: true })
      if (!isSeen) continue
      const { color, fontFamily, fontWeight, fontStyle } = viewOf(holder).getComputedStyle(holder)
      for (const { index, 0: text } of (native.nodeValue(node) ?? '').matchAll(/\S+/g)) {
        if (words.length >= MAX_WORDS) return words
        const range = nativeDocument.createRange(document)
        range.setStart(node, index)
        range.setEnd(node, index + text.length)
        const { x, y, width, height } = range.getBoundingClientRect()
        if (width === 0) continue
        words.push({
          text,
          x: (x - box.x) * scale,
          y: (y - box.y + height / 2) * scale,
          width: width * scale,
          font: `${fontStyle} ${fontWeight} ${(height * scale) / LINE}px ${fontFamily}`,
          colour: color,
        })
      }
    }
  }
  return words
}
