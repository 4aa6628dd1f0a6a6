import * as native from './native.ts'

/** How long the labels of a tree are cached. Milliseconds. */
const FRESH_MS = 50

/** Elements that may have labels in HTML. */
const LABELABLE = 'button, input, meter, output, progress, select, textarea'

interface LabelIndex {
  readonly at: number
  readonly byControl: ReadonlyMap<Element, readonly HTMLLabelElement[]>
  /** All elements that may have labels. An element that isn't among them was added later. */
  readonly controls: ReadonlySet<Element>
}

const indexes = new WeakMap<Node, LabelIndex>()

/**
 * The labels of a control. `labels` itself searches the whole document each time, which is quadratic over a
 * page of many fields.
 */
export function labelsOf(control: Element): readonly HTMLLabelElement[] {
  if (!('labels' in control)) return []
  const root = native.getRootNode(control) as Document | ShadowRoot
  let index = indexes.get(root)
  if (!index || performance.now() - index.at > FRESH_MS || !index.controls.has(control)) {
    const controls = new Set(native.querySelectorAll(root, LABELABLE))
    index = { at: performance.now(), byControl: readLabels(root), controls }
    indexes.set(root, index)
  }
  return index.byControl.get(control) ?? []
}

function readLabels(root: Document | ShadowRoot): Map<Element, HTMLLabelElement[]> {
  const byControl = new Map<Element, HTMLLabelElement[]>()
  for (const label of native.querySelectorAll<HTMLLabelElement>(root, 'label')) {
    const { control } = label
    if (control) byControl.set(control, [...(byControl.get(control) ?? []), label])
  }
  return byControl
}
