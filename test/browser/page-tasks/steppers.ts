import { task } from './support/task.ts'

type Goal = Readonly<Record<'Adults' | 'Children' | 'Rooms', number>>

/** Signs beside each other that have no names. */
export const steppers = task<Goal>({
  name: 'numbers: steppers of + and −',
  ask: (goal) =>
    `Book for ${goal.Adults} adults, ${goal.Children} children and ${goal.Rooms} rooms.`,
  style: 'span.step { cursor: pointer; padding: 4px 9px }',
  app: ({ body, h, int }) => {
    const goal = { Adults: int(3, 6), Children: int(1, 4), Rooms: int(2, 4) }
    const now: Record<string, number> = { Adults: 2, Children: 0, Rooms: 1 }
    for (const name of Object.keys(now)) {
      const shown = h('b', { text: now[name] ?? 0 })
      const step = (text: string, by: number): HTMLElement =>
        h('span', {
          class: 'step',
          text,
          onclick: () => {
            now[name] = Math.max(0, (now[name] ?? 0) + by)
            shown.textContent = String(now[name])
          },
        })
      body.append(
        h(
          'div',
          { role: 'group', 'aria-label': name },
          h('span', { text: name }),
          step('−', -1),
          shown,
          step('+', 1),
        ),
      )
    }
    const isReached = (): boolean =>
      Object.entries(goal).every(([name, value]) => now[name] === value)
    return { goal, decoy: { ...goal, Adults: goal.Adults - 1 }, isReached }
  },
  solve: async ({ look, click }, goal) => {
    const start = { Adults: 2, Children: 0, Rooms: 1 } as const
    for (const name of ['Adults', 'Children', 'Rooms'] as const) {
      const plus = (await look()).within('group', name).ref('generic', '+')
      for (let n = start[name]; n < goal[name]; n += 1) await click(plus)
    }
  },
})
