import { task } from './support/task.ts'

interface Goal {
  readonly hour: string
  readonly minute: string
}

/** Columns that scroll, as mobile pickers have them. */
export const timeWheel = task<Goal>({
  name: 'times: columns that scroll',
  ask: ({ hour, minute }) => `Set the alarm to ${hour}:${minute}.`,
  style:
    'ul { height: 90px; overflow: auto; display: inline-block; width: 60px } li { height: 30px; cursor: pointer }',
  app: ({ body, h, two, int }) => {
    const pad = (n: number): string => String(n).padStart(2, '0')
    const [hour, otherHour] = two(Array.from({ length: 24 }, (_, n) => pad(n)))
    const minute = pad(int(0, 59))
    const now: Record<string, string> = { Hour: '', Minute: '' }
    const set: string[] = []
    const shown = h('output', { text: '--:--' })
    const column = (name: string, count: number): HTMLElement => {
      const list = h('ul', { role: 'listbox', 'aria-label': name, tabindex: 0 })
      for (let n = 0; n < count; n += 1) {
        const item = h('li', {
          role: 'option',
          'aria-selected': 'false',
          text: pad(n),
          onclick: () => {
            now[name] = pad(n)
            for (const one of list.children) one.setAttribute('aria-selected', String(one === item))
            shown.textContent = `${now.Hour}:${now.Minute}`
          },
        })
        list.append(item)
      }
      return list
    }
    const done = h('button', {
      text: 'Set alarm',
      onclick: () => set.push(`${now.Hour}:${now.Minute}`),
    })
    body.append(column('Hour', 24), column('Minute', 60), shown, done)
    return {
      goal: { hour, minute },
      decoy: { hour: otherHour, minute },
      isReached: () => set.join() === `${hour}:${minute}`,
    }
  },
  solve: async ({ look, act, click }, { hour, minute }) => {
    const page = await look()
    await act('select_option', { ref: page.ref('listbox', 'Hour'), options: [hour] })
    await act('select_option', { ref: page.ref('listbox', 'Minute'), options: [minute] })
    await click(page.ref('button', 'Set alarm'))
  },
})
