import { task } from './support/task.ts'

interface Goal {
  readonly column: string
}

/** Headings that sort; the first row then is opened. */
export const sortTable = task<Goal>({
  name: 'table: sort it and open the first row',
  ask: ({ column }) => `Sort the table by ${column}, highest first, and open the first row.`,
  style: 'th, td { cursor: pointer }',
  app: ({ body, h, two, shuffle, int }) => {
    const columns = ['Size', 'Price', 'Age']
    const [column, other] = two(columns)
    const names = shuffle(['Oak', 'Elm', 'Fir', 'Ash', 'Yew'])
    // The highest of each column is in another row.
    const rows = names.map((name, n) => ({
      name,
      values: columns.map((_, c) => int(10, 49) + (n === c ? 50 : 0)),
    }))
    let sorted = ''
    const opened: string[] = []
    const table = h('table', { 'aria-label': 'Trees' })
    const draw = (): void => {
      const heads = columns.map((text, c) =>
        h('th', {
          text,
          'aria-sort':
            sorted === `${text} up`
              ? 'ascending'
              : sorted === `${text} down`
                ? 'descending'
                : 'none',
          onclick: () => {
            const isDown = sorted === `${text} up`
            sorted = isDown ? `${text} down` : `${text} up`
            rows.sort((a, b) => ((a.values[c] ?? 0) - (b.values[c] ?? 0)) * (isDown ? -1 : 1))
            draw()
          },
        }),
      )
      table.replaceChildren(
        h('tr', {}, h('th', { text: 'Name' }), ...heads),
        ...rows.map(({ name, values }) =>
          h(
            'tr',
            { onclick: () => opened.push(`${name} by ${sorted}`) },
            h('td', { text: name }),
            ...values.map((value) => h('td', { text: value })),
          ),
        ),
      )
    }
    draw()
    body.append(table)
    const first = rows[columns.indexOf(column)]?.name
    return {
      goal: { column },
      decoy: { column: other },
      isReached: () => opened.join() === `${first} by ${column} down`,
    }
  },
  solve: async ({ look, click }, { column }) => {
    for (let step = 0; step < 2; step += 1) await click((await look()).ref('columnheader', column))
    const first = (await look()).all('cell')[0]
    await click(first?.ref ?? '')
  },
})
