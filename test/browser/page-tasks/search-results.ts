import { task } from './support/task.ts'

interface Goal {
  readonly word: string
  readonly nth: number
}

/** Results in pages of three, which come after a while. */
export const searchResults = task<Goal>({
  name: 'search: open the nth result',
  ask: ({ word, nth }) => `Search for ${word} and open result number ${nth}.`,
  app: ({ body, h, two, pick, int }) => {
    const word = pick(['mugs', 'lamps', 'chairs'])
    const [nth, other] = two([1, 2, 3, 4, 5, 6, 7, 8])
    const opened: string[] = []
    const results = h('section', { 'aria-label': 'Results' })
    const show = (query: string, page: number): void => {
      const list = h('ol', { start: page * 3 + 1 })
      for (let place = page * 3 + 1; place <= Math.min(9, page * 3 + 3); place += 1) {
        const open = (): void => void opened.push(`${query} ${place}`)
        list.append(
          h(
            'li',
            {},
            h('a', { href: '#', text: `${query}, model ${int(100, 999)}`, onclick: open }),
          ),
        )
      }
      results.replaceChildren(list, h('p', { text: `Page ${page + 1} of 3` }))
      if (page < 2)
        results.append(h('button', { text: 'Next', onclick: () => show(query, page + 1) }))
    }
    const field = h('input', { type: 'search', 'aria-label': 'Search the shop' })
    body.append(
      h(
        'form',
        {
          role: 'search',
          onsubmit: (event: Event) => {
            event.preventDefault()
            results.replaceChildren(h('p', { role: 'status', text: 'Searching …' }))
            setTimeout(() => show(field.value, 0), 300)
          },
        },
        field,
        h('button', { text: 'Search' }),
      ),
      results,
    )
    const isReached = (): boolean => opened.join() === `${word} ${nth}`
    return { goal: { word, nth }, decoy: { word, nth: other }, isReached }
  },
  solve: async ({ look, type, act, click }, { word, nth }) => {
    await type((await look()).ref('searchbox', 'Search the shop'), word, { enter: true })
    await act('wait_for', { text: 'Page 1 of 3' })
    for (let page = 1; page < Math.ceil(nth / 3); page += 1)
      await click((await look()).ref('button', 'Next'))
    const links = (await look()).all('link', new RegExp(`^${word}, model`))
    await click(links[(nth - 1) % 3]?.ref ?? '')
  },
})
