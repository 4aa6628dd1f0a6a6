import { task } from './support/task.ts'

/** `confirm` of the browser, which is accepted. */
export const nativeDialogs = task<{ readonly row: string }>({
  name: 'dialog: the browser’s own question',
  ask: ({ row }) => `Take ${row} off the list; yes, really.`,
  options: { dialogs: 'accept' },
  app: ({ body, h, two, shuffle }) => {
    const rows = shuffle(['Ada', 'Grace', 'Linus', 'Ken'])
    const [row, other] = two(rows)
    const list = h('ul', { 'aria-label': 'Guests' })
    const log: string[] = []
    for (const name of rows) {
      const item: HTMLElement = h(
        'li',
        {},
        `${name} `,
        h('button', {
          text: 'Take off',
          'aria-label': `Take ${name} off`,
          onclick: () => {
            const isSure = confirm(`Take ${name} off the list?`)
            log.push(`${name} ${isSure}`)
            if (isSure) item.remove()
          },
        }),
      )
      list.append(item)
    }
    body.append(list)
    return { goal: { row }, decoy: { row: other }, isReached: () => log.join() === `${row} true` }
  },
  solve: async ({ look, click }, { row }) => {
    const said = await click((await look()).ref('button', `Take ${row} off`))
    if (!said.text.includes(`Take ${row} off the list?`)) throw new Error(said.text)
  },
})
