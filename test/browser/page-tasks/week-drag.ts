import { task } from './support/task.ts'

interface Goal {
  readonly event: string
  readonly day: string
}

/** Events of a week are moved to another day by the pointer, and by nothing else. */
export const weekDrag = task<Goal>({
  name: 'calendar: drag an event to another day',
  ask: ({ event, day }) => `Move "${event}" to ${day}.`,
  style:
    'section { display: inline-block; vertical-align: top; width: 110px; height: 260px; border: 1px solid } .event { background: #cde; margin: 4px; touch-action: none; cursor: grab }',
  app: ({ body, h, two, shuffle }) => {
    const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
    const events = shuffle(['Standup', 'Review', 'Interview'])
    const [day, otherDay] = two(days.slice(1))
    const event = events[0] ?? ''
    const columns = days.map((name) =>
      h('section', { 'aria-label': name }, h('h2', { text: name })),
    )
    for (const name of events) {
      const card = h('div', {
        class: 'event',
        text: name,
        onpointerdown: (down: PointerEvent) => {
          const move = (to: PointerEvent): void => {
            card.style.transform = `translate(${to.clientX - down.clientX}px, ${to.clientY - down.clientY}px)`
          }
          const drop = (up: PointerEvent): void => {
            removeEventListener('pointermove', move)
            removeEventListener('pointerup', drop)
            card.style.transform = ''
            const target = columns.find((column) => {
              const { left, right } = column.getBoundingClientRect()
              return up.clientX >= left && up.clientX < right
            })
            target?.append(card)
          }
          addEventListener('pointermove', move)
          addEventListener('pointerup', drop)
        },
      })
      columns[0]?.append(card)
    }
    body.append(...columns)
    const isReached = (): boolean =>
      columns.every(
        (column, n) =>
          [...column.querySelectorAll('.event')].map(({ textContent }) => textContent).join() ===
          (n === 0 ? events.slice(1).join() : days[n] === day ? event : ''),
      )
    return { goal: { event, day }, decoy: { event, day: otherDay }, isReached }
  },
  solve: async ({ look, act }, { event, day }) => {
    const page = await look()
    const card = page.lines.find((line) => line.text === event || line.name === event)
    const column = page.lines.find((line) => line.name === day && line.ref !== '')
    await act('drag', { ref: card?.ref || event, to: column?.ref || day })
  },
})
