import { isElement, parentOf } from '../dom.ts'
import * as native from '../native.ts'

/** An element with more children isn't a clock. */
const MAX_CHILDREN = 12
/** Attributes that only repeat the text. */
const REPEATING = new Set(['datetime'])

export interface TextChange {
  readonly before: string
  readonly after: string
}

/** The element that a record concerns. For a text, its parent. */
function changedElement({ target }: MutationRecord): Node {
  return isElement(target) ? target : (parentOf(target) ?? target)
}

export function byElement(
  records: readonly MutationRecord[],
): ReadonlyMap<Node, readonly MutationRecord[]> {
  const found = new Map<Node, MutationRecord[]>()
  for (const record of records) {
    const element = changedElement(record)
    const others = found.get(element)
    if (others) others.push(record)
    else found.set(element, [record])
  }
  return found
}

/** The text of one element before and after its records. Null if more than a text has changed. */
export function textChangeOf(element: Node, records: readonly MutationRecord[]): TextChange | null {
  let [removed, added] = ['', '']
  const old = new Map<Node, string>()
  for (const { type, target, attributeName, oldValue, removedNodes, addedNodes } of records) {
    if (type === 'attributes') {
      if (!REPEATING.has(attributeName ?? '')) return null
    } else if (type === 'characterData') {
      if (!old.has(target)) old.set(target, oldValue ?? '')
    } else {
      if (removedNodes.length > 2 || addedNodes.length > 2) return null
      removed ||= textOf(removedNodes)
      if (removed) added = textOf(addedNodes) || added
    }
  }
  if (removed && added) return { before: removed, after: added }
  if (old.size === 0 || removed || added) return null
  // Adjacent texts, such as those of `{minutes}:{seconds}`, form one text.
  const children = [...native.childNodes(element)]
  if (children.length > MAX_CHILDREN) return null
  return {
    before: children.map((child) => old.get(child) ?? native.textContent(child)).join(''),
    after: children.map((child) => native.textContent(child)).join(''),
  }
}

/** Adds the text around the element to a change, as for `<i>30</i> s`. */
export function inParent(element: Node, { before, after }: TextChange): TextChange | null {
  const parent = parentOf(element)
  const siblings = parent ? [...native.childNodes(parent)] : []
  if (siblings.length < 2 || siblings.length > MAX_CHILDREN) return null
  const withText = (text: string): string =>
    siblings.map((one) => (one === element ? text : native.textContent(one))).join('')
  return { before: withText(before), after: withText(after) }
}

function textOf(nodes: NodeList): string {
  return Array.from(nodes, (node) => native.textContent(node)).join('')
}
