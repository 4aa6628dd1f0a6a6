import { task } from './support/task.ts'

/** Five thousand rows, of which those in view are in the document. */
export const virtualList = task<{ readonly name: string }>({
  name: 'virtual list: one of five thousand rows',
  ask: ({ name }) => `Choose ${name} in the list.`,
  style:
    '#rows { height: 300px; overflow: auto; position: relative } #rows div[role=option] { position: absolute; height: 30px; cursor: pointer }',
  app: ({ body, h, int }) => {
    const n = int(1000, 4900)
    let chosen = ''
    const space = h('div', { style: 'height: 150000px' })
    const list = h(
      'div',
      { id: 'rows', role: 'listbox', 'aria-label': 'Customers', tabindex: 0 },
      space,
    )
    const draw = (): void => {
      const first = Math.max(0, Math.floor(list.scrollTop / 30) - 2)
      space.replaceChildren(
        ...Array.from({ length: 15 }, (_, at) => {
          const text = `Customer ${first + at + 1}`
          return h('div', {
            role: 'option',
            'aria-selected': String(chosen === text),
            style: `top: ${(first + at) * 30}px`,
            text,
            onclick: () => {
              chosen = text
              draw()
            },
          })
        }),
      )
    }
    list.onscroll = draw
    body.append(list)
    draw()
    const goal = { name: `Customer ${n}` }
    return { goal, decoy: { name: `Customer ${n + 1}` }, isReached: () => chosen === goal.name }
  },
  solve: async ({ look, act, click }, { name }) => {
    await act('scroll', { ref: (await look()).ref('listbox', 'Customers'), until: name })
    await click((await act('find', { role: 'option', name })).ref('option', name))
  },
})
