import { task } from './support/task.ts'

interface Goal {
  readonly stock: string
}

/** A list that is drawn anew all the time, with other elements each time. */
export const redrawnList = task<Goal>({
  name: 'redrawn list: a row that is replaced all the time',
  ask: ({ stock }) => `Watch the stock ${stock}.`,
  app: ({ body, h, two, int }) => {
    const stocks = ['ACME', 'GLOBEX', 'INITECH', 'UMBRELLA']
    const [stock, other] = two(stocks)
    const watched: string[] = []
    const list = h('ul', { 'aria-label': 'Stocks' })
    const draw = (): void =>
      list.replaceChildren(
        ...stocks.map((name) =>
          h(
            'li',
            {},
            `${name} ${int(10, 99)} `,
            h('button', { text: `Watch ${name}`, onclick: () => watched.push(name) }),
          ),
        ),
      )
    draw()
    setInterval(draw, 700)
    body.append(list)
    return { goal: { stock }, decoy: { stock: other }, isReached: () => watched.join() === stock }
  },
  solve: async ({ look, attempt }, { stock }) => {
    await look()
    // A ref is out of date soon; a name is not.
    for (let step = 0; step < 5; step += 1) {
      const said = await attempt('click', { ref: `Watch ${stock}` })
      if (said.text.startsWith('Clicked')) return
    }
    throw new Error('It was never clicked.')
  },
})
