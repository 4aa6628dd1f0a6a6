import { isElement } from '../dom.ts'

export interface Caret {
  readonly node: Node
  readonly offset: number
}

type Edge = 'start' | 'end'

/**
 * Where the text of an editable element begins or ends, as deep inside as a click there would put the
 * caret. At the position between blocks where `selectAllChildren` ends, Firefox types outside of them.
 */
export function textEdge(editable: Element, edge: Edge): Caret {
  let node: Node = editable
  for (let inner = childAt(node, edge); inner && takesText(inner); inner = childAt(node, edge))
    node = inner
  if (edge === 'start') return { node, offset: 0 }
  if (node.nodeType === 3) return { node, offset: node.nodeValue?.length ?? 0 }
  const last = childAt(node, edge)
  const onlyBreak = last !== null && (last as Element).localName === 'br'
  return { node, offset: onlyBreak ? [...node.childNodes].indexOf(last) : node.childNodes.length }
}

/** The first or last child, without whitespace and placeholder line breaks. */
function childAt(node: Node, edge: Edge): ChildNode | null {
  const shown = [...node.childNodes].filter(
    (child) =>
      isElement(child) || (child.nodeType === 3 && /[^ \t\r\n\f]/.test(child.nodeValue ?? '')),
  )
  // A trailing line break only makes the last line visible.
  if (edge === 'end' && shown.length > 1 && (shown.at(-1) as Element).localName === 'br')
    shown.pop()
  return shown.at(edge === 'start' ? 0 : -1) ?? node.firstChild
}

function takesText(node: Node): boolean {
  if (node.nodeType === 3) return true
  return isElement(node) && node.isContentEditable && !WITHOUT_TEXT.has(node.localName)
}

const WITHOUT_TEXT = new Set(['br', 'hr', 'img', 'input', 'wbr', 'video', 'audio', 'iframe'])
