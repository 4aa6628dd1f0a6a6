import { task } from './support/task.ts'

interface Goal {
  readonly item: string
  readonly before: string
}

/** Drag and drop of the browser's own, with an item put in front of the one it's dropped on. */
export const dragSort = task<Goal>({
  name: 'drag: an item of a list, natively',
  ask: ({ item, before }) => `Move "${item}" in front of "${before}".`,
  style: 'li { padding: 8px; border: 1px solid }',
  app: ({ body, h, shuffle }) => {
    const items = shuffle(['Bread', 'Milk', 'Eggs', 'Tea', 'Rice'])
    const [before = '', other = '', , , item = ''] = items
    let dragged: HTMLElement | null = null
    const list = h('ul', { 'aria-label': 'Shopping list' })
    for (const text of items) {
      const row = h('li', {
        text,
        draggable: 'true',
        ondragstart: (event: DragEvent) => {
          dragged = row
          event.dataTransfer?.setData('text/plain', text)
        },
        ondragover: (event: DragEvent) => event.preventDefault(),
        ondrop: (event: DragEvent) => {
          event.preventDefault()
          if (dragged && event.dataTransfer?.getData('text/plain') === dragged.textContent)
            row.before(dragged)
        },
      })
      list.append(row)
    }
    body.append(list)
    const wanted = [item, ...items.filter((one) => one !== item)].join()
    const isReached = (): boolean =>
      [...list.children].map(({ textContent }) => textContent).join() === wanted
    return { goal: { item, before }, decoy: { item, before: other }, isReached }
  },
  solve: async ({ look, act }, { item, before }) => {
    const page = await look()
    await act('drag', { ref: page.ref('listitem', item), to: page.ref('listitem', before) })
  },
})
