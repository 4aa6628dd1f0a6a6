import { task } from './support/task.ts'

/** Buttons with an icon and the same name in each row; rows of which only the date differs. */
export const mailArchive = task<{ readonly day: string }>({
  name: 'mail: archive one of several alike',
  ask: ({ day }) => `Archive the newsletter of ${day}.`,
  style: 'li:not(:hover) button { opacity: 0.6 }',
  app: ({ body, h, two, shuffle }) => {
    const days = shuffle(['3 May', '10 May', '17 May', '24 May', '31 May'])
    const [day, other] = two(days)
    const archived: string[] = []
    const list = h('ul', { 'aria-label': 'Inbox' })
    for (const date of days) {
      const row = h(
        'li',
        {},
        h('span', { text: 'Weekly newsletter' }),
        ' ',
        h('time', { text: date }),
      )
      const archive = h('button', {
        'aria-label': 'Archive',
        onclick: () => {
          archived.push(date)
          row.remove()
        },
      })
      const star = h('button', { 'aria-label': 'Star', text: '☆' })
      archive.innerHTML =
        '<svg width="16" height="16" aria-hidden="true"><path d="M1 1h14v14H1z"/></svg>'
      row.append(star, archive)
      list.append(row)
    }
    body.append(list)
    return { goal: { day }, decoy: { day: other }, isReached: () => archived.join() === day }
  },
  solve: async ({ look, click }, { day }) => {
    const page = await look()
    const rows = page.all('listitem').map((row) => page.inside(row))
    const row = rows.find((inside) => inside.has('text', `Weekly newsletter ${day}`))
    if (!row) throw new Error(page.text)
    await click(row.ref('button', 'Archive'))
  },
})
