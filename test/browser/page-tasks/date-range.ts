import { task } from './support/task.ts'

interface Goal {
  readonly from: number
  readonly to: number
}

/** The first click begins a range, the second ends it, a third begins anew. */
export const dateRange = task<Goal>({
  name: 'dates: a range of two clicks',
  ask: ({ from, to }) => `Choose the days from ${from} to ${to} May, and book.`,
  app: ({ body, h, int }) => {
    const from = int(2, 12)
    const to = int(14, 27)
    let range: number[] = []
    const booked: string[] = []
    const status = h('p', { role: 'status', text: 'No days chosen' })
    const days = Array.from({ length: 31 }, (_, n) =>
      h('button', {
        text: n + 1,
        'aria-label': `${n + 1} May`,
        'aria-pressed': 'false',
        onclick: () => {
          range = range.length === 1 ? [...range, n + 1].toSorted((a, b) => a - b) : [n + 1]
          const [first = 0, last = first] = range
          for (const [index, day] of days.entries())
            day.setAttribute('aria-pressed', String(index + 1 >= first && index + 1 <= last))
          status.textContent = range.length === 2 ? `${first} to ${last} May` : `From ${first} May`
        },
      }),
    )
    const book = h('button', { text: 'Book the days', onclick: () => booked.push(range.join('-')) })
    body.append(h('div', { role: 'group', 'aria-label': 'May' }, ...days), status, book)
    return {
      goal: { from, to },
      decoy: { from: from + 1, to },
      isReached: () => booked.join() === `${from}-${to}`,
    }
  },
  solve: async ({ look, click }, { from, to }) => {
    const page = await look()
    await click(page.ref('button', `${from} May`))
    const said = await click(page.ref('button', `${to} May`))
    if (!said.text.includes(`${from} to ${to} May`)) throw new Error(said.text)
    await click(page.ref('button', 'Book the days'))
  },
})
