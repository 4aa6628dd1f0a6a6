import { isElement } from '../dom.ts'
import * as native from '../native.ts'

export interface Caret {
  readonly node: Node
  readonly offset: number
}

type Edge = 'start' | 'end'

/**
 * The start or end of an editable element's text, as deep inside as a click there would put the caret.
 * `selectAllChildren` ends at a position between blocks, where Firefox types outside of them.
 */
export function textEdge(editable: Element, edge: Edge): Caret {
  let node: Node = editable
  for (let inner = childAt(node, edge); inner && takesText(inner); inner = childAt(node, edge))
    node = inner
  if (edge === 'start') return { node, offset: 0 }
  if (native.nodeType(node) === 3) return { node, offset: native.nodeValue(node)?.length ?? 0 }
  const last = childAt(node, edge)
  const onlyBreak = last !== null && native.localName(last as Element) === 'br'
  return {
    node,
    offset: onlyBreak ? [...native.childNodes(node)].indexOf(last) : native.childNodes(node).length,
  }
}

/** The first or last child, skipping whitespace and placeholder line breaks. */
function childAt(node: Node, edge: Edge): ChildNode | null {
  const shown = [...native.childNodes(node)].filter(
    (child) =>
      isElement(child) ||
      (native.nodeType(child) === 3 && /[^ \t\r\n\f]/.test(native.nodeValue(child) ?? '')),
  )
  // A trailing line break only makes the last line visible.
  if (edge === 'end' && shown.length > 1 && native.localName(shown.at(-1) as Element) === 'br')
    shown.pop()
  return shown.at(edge === 'start' ? 0 : -1) ?? native.firstChild(node)
}

function takesText(node: Node): boolean {
  if (native.nodeType(node) === 3) return true
  return (
    isElement(node) && native.isContentEditable(node) && !WITHOUT_TEXT.has(native.localName(node))
  )
}

const WITHOUT_TEXT = new Set(['br', 'hr', 'img', 'input', 'wbr', 'video', 'audio', 'iframe'])
