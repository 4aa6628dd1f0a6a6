import { ancestorsOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'

/** How many times larger an element's text is shown than its font says; infinite when it can't be told. */
export function enlargementOf(holder: Element): number {
  const view = viewOf(holder)
  let times = 1
  for (const around of [holder, ...ancestorsOf(holder)]) {
    if (native.ownerDocument(around) !== native.ownerDocument(holder)) break
    const { display, transform, scale, perspective } = view.getComputedStyle(around)
    if (display === 'inline' || display === 'contents') continue
    if (perspective !== 'none' || native.localName(around) === 'foreignObject') return Infinity
    if (transform !== 'none') times *= stretchOf(new view.DOMMatrix(transform))
    if (scale && scale !== 'none')
      times *= Math.max(...scale.split(' ').map((part) => Math.abs(Number(part))))
  }
  return times
}

function stretchOf({ m11, m12, m13, m14, m21, m22, m23, m24, m34 }: DOMMatrix): number {
  if (m14 !== 0 || m24 !== 0 || m34 !== 0) return Infinity
  return Math.max(Math.hypot(m11, m12, m13), Math.hypot(m21, m22, m23))
}
