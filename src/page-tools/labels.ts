/** How long the labels of a tree are cached. Milliseconds. */
const FRESH_MS = 50

interface LabelIndex {
  readonly at: number
  readonly byControl: ReadonlyMap<Element, readonly HTMLLabelElement[]>
}

const indexes = new WeakMap<Node, LabelIndex>()

/**
 * The labels of a control. `labels` itself searches the whole document each time, which is quadratic over a
 * page of many fields.
 */
export function labelsOf(control: Element): readonly HTMLLabelElement[] {
  if (!('labels' in control)) return []
  const root = control.getRootNode() as Document | ShadowRoot
  let index = indexes.get(root)
  if (!index || performance.now() - index.at > FRESH_MS) {
    index = { at: performance.now(), byControl: readLabels(root) }
    indexes.set(root, index)
  }
  return index.byControl.get(control) ?? []
}

function readLabels(root: Document | ShadowRoot): Map<Element, HTMLLabelElement[]> {
  const byControl = new Map<Element, HTMLLabelElement[]>()
  for (const label of root.querySelectorAll('label')) {
    const { control } = label
    if (control) byControl.set(control, [...(byControl.get(control) ?? []), label])
  }
  return byControl
}
