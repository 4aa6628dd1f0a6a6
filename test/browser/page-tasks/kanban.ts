import { task } from './support/task.ts'

interface Goal {
  readonly card: string
  readonly column: string
}

/** Cards that follow the pointer once it has moved by eight pixels, and columns that light up below it. */
export const kanban = task<Goal>({
  name: 'kanban: move a card',
  ask: ({ card, column }) => `Move the card "${card}" to ${column}.`,
  style:
    '.column { display: inline-block; vertical-align: top; width: 180px; min-height: 300px; background: #eee; margin: 6px } .card { background: white; margin: 8px; padding: 8px; cursor: grab } .dragged { position: fixed; pointer-events: none }',
  app: ({ body, h, two, shuffle }) => {
    const columns = ['Backlog', 'Doing', 'Review', 'Done']
    const cards = shuffle(['Fix login', 'Write docs', 'Ship it', 'Call Ada'])
    const card = cards[0] ?? ''
    const [column, other] = two(columns.slice(1))
    const lanes = columns.map((name) =>
      h('div', { class: 'column', role: 'region', 'aria-label': name }, h('h2', { text: name })),
    )
    const lift = (element: HTMLElement, down: PointerEvent): void => {
      let isLifted = false
      const move = ({ clientX, clientY }: PointerEvent): void => {
        isLifted ||= Math.hypot(clientX - down.clientX, clientY - down.clientY) > 8
        if (!isLifted) return
        element.classList.add('dragged')
        element.style.left = `${clientX}px`
        element.style.top = `${clientY}px`
      }
      const drop = ({ clientX, clientY }: PointerEvent): void => {
        removeEventListener('pointermove', move)
        removeEventListener('pointerup', drop)
        if (isLifted)
          document.elementFromPoint(clientX, clientY)?.closest('.column')?.append(element)
        element.classList.remove('dragged')
      }
      addEventListener('pointermove', move)
      addEventListener('pointerup', drop)
    }
    for (const text of cards) {
      const element: HTMLElement = h('div', {
        class: 'card',
        text,
        onpointerdown: (down: PointerEvent) => lift(element, down),
      })
      lanes[0]?.append(element)
    }
    body.append(...lanes)
    const columnOf = (text: string): string =>
      columns.find((_, n) => lanes[n]?.textContent?.includes(text)) ?? ''
    const isReached = (): boolean =>
      cards.every((text) => columnOf(text) === (text === card ? column : 'Backlog'))
    return { goal: { card, column }, decoy: { card, column: other }, isReached }
  },
  solve: async ({ look, act }, { card, column }) => {
    const page = await look()
    const item = page.lines.find((line) => (line.text === card || line.name === card) && line.ref)
    await act('drag', { ref: item?.ref ?? card, to: page.ref('region', column) })
  },
})
