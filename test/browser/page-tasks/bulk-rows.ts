import { task } from './support/task.ts'

interface Goal {
  readonly status: string
}

/** Rows are ticked by what they say, and then handled together. */
export const bulkRows = task<Goal>({
  name: 'table: tick rows and handle them together',
  ask: ({ status }) => `Archive all orders that are ${status}, and no others.`,
  app: ({ body, h, two, shuffle }) => {
    const states = ['open', 'paid', 'late']
    const [status, other] = two(states)
    const orders = shuffle([...states, ...states, ...states]).map((state, n) => ({
      id: 100 + n,
      state,
    }))
    const ticked = new Set<number>()
    const archived: string[] = []
    const count = h('p', { role: 'status', text: '0 chosen' })
    const rows = orders.map(({ id, state }) => {
      const box = h('input', {
        type: 'checkbox',
        onchange: () => {
          if (box.checked) ticked.add(id)
          else ticked.delete(id)
          count.textContent = `${ticked.size} chosen`
        },
      })
      return h(
        'tr',
        {},
        h('td', {}, box),
        h('td', { text: `Order ${id}` }),
        h('td', { text: state }),
      )
    })
    body.append(
      h('table', { 'aria-label': 'Orders' }, ...rows),
      count,
      h('button', {
        text: 'Archive chosen',
        onclick: () => archived.push([...ticked].toSorted().join()),
      }),
    )
    const wanted = orders
      .filter(({ state }) => state === status)
      .map(({ id }) => id)
      .join()
    return {
      goal: { status },
      decoy: { status: other },
      isReached: () => archived.join('|') === wanted,
    }
  },
  solve: async ({ look, click, act }, { status }) => {
    const page = await look()
    const rows = page.all('row').filter(({ text, name }) => `${name} ${text}`.includes(status))
    for (const row of rows)
      await act('set_checked', { ref: page.inside(row).all('checkbox')[0]?.ref, checked: true })
    await click(page.ref('button', 'Archive chosen'))
  },
})
