export interface View<Item> {
  readonly element: HTMLElement
  update(item: Item): void
}

/**
 * Shows items in a parent, one view for each key. Views stay where they are when their item changes,
 * so that focus, selections and open details survive.
 */
export function createKeyedList<Item>(
  parent: HTMLElement,
  options: { key(item: Item): string; create(item: Item): View<Item> },
): (items: readonly Item[]) => void {
  const views = new Map<string, View<Item>>()
  return (items) => {
    const keys = new Set(items.map(options.key))
    for (const [key, view] of views) {
      if (keys.has(key)) continue
      view.element.remove()
      views.delete(key)
    }
    items.forEach((item, index) => {
      const key = options.key(item)
      const view = views.get(key) ?? options.create(item)
      views.set(key, view)
      view.update(item)
      const current = parent.children[index] ?? null
      if (current !== view.element) parent.insertBefore(view.element, current)
    })
  }
}
