import { task } from './support/task.ts'

/** Suggestions come a while after the last character; the value is taken from the list only. */
export const autocomplete = task<{ readonly city: string }>({
  name: 'autocomplete: suggestions that come late',
  ask: ({ city }) => `Fly to ${city} and search.`,
  style: '#found div { padding: 4px; cursor: pointer }',
  app: ({ body, h, two }) => {
    const cities = ['Berlin', 'Bergen', 'Bern', 'Bergamo', 'Belgrade', 'Beirut']
    const [city, other] = two(cities)
    let chosen = ''
    let asked = 0
    const searched: string[] = []
    const found = h('div', { id: 'found' })
    const field = h('input', {
      placeholder: 'Where to?',
      autocomplete: 'off',
      oninput: () => {
        chosen = ''
        asked += 1
        const request = asked
        setTimeout(() => request === asked && show(field.value), 250)
      },
    })
    const show = (typed: string): void =>
      found.replaceChildren(
        ...cities
          .filter((one) => typed && one.toLowerCase().startsWith(typed.toLowerCase()))
          .map((text) =>
            h('div', {
              text,
              onmousedown: (event: Event) => event.preventDefault(),
              onclick: () => {
                chosen = text
                field.value = text
                found.replaceChildren()
              },
            }),
          ),
      )
    const search = h('button', { text: 'Search flights', onclick: () => searched.push(chosen) })
    body.append(field, found, search)
    return { goal: { city }, decoy: { city: other }, isReached: () => searched.join() === city }
  },
  solve: async ({ look, type, act, click }, { city }) => {
    const page = await look()
    await type(page.ref('textbox', 'Where to?'), city.slice(0, 3))
    await act('wait_for', { text: city })
    await click((await look()).ref('generic', city))
    await click(page.ref('button', 'Search flights'))
  },
})
