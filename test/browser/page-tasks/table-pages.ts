import { task } from './support/task.ts'

/** A table in pages of five rows; the row that is wanted may be on any. */
export const tablePages = task<{ readonly person: string }>({
  name: 'table: find a row in its pages',
  ask: ({ person }) => `Invite ${person}.`,
  app: ({ body, h, two, shuffle }) => {
    const people = shuffle([
      'Ada',
      'Alan',
      'Barbara',
      'Dennis',
      'Donald',
      'Edsger',
      'Grace',
      'John',
      'Ken',
      'Linus',
      'Margaret',
      'Niklaus',
      'Radia',
      'Tim',
      'Tony',
    ])
    const [person, other] = two(people)
    const invited: string[] = []
    const show = (page: number): void => {
      const rows = people
        .slice(page * 5, page * 5 + 5)
        .map((name) =>
          h(
            'tr',
            {},
            h('td', { text: name }),
            h('td', {}, h('button', { text: 'Invite', onclick: () => invited.push(name) })),
          ),
        )
      const pages = [0, 1, 2].map((n) =>
        h('button', {
          text: n + 1,
          'aria-label': `Page ${n + 1}`,
          'aria-current': n === page && 'page',
          onclick: () => show(n),
        }),
      )
      body.replaceChildren(
        h('table', { 'aria-label': 'People' }, ...rows),
        h('nav', { 'aria-label': 'Pages' }, ...pages),
      )
    }
    show(0)
    return {
      goal: { person },
      decoy: { person: other },
      isReached: () => invited.join() === person,
    }
  },
  solve: async ({ look, click }, { person }) => {
    for (let page = 1; page <= 3; page += 1) {
      const table = await look()
      const row = table.all('row').find(({ text, name }) => `${name} ${text}`.includes(person))
      if (row) {
        await click(table.inside(row).ref('button', 'Invite'))
        return
      }
      await click(table.ref('button', `Page ${page + 1}`))
    }
  },
})
