import { task } from './support/task.ts'

interface Goal {
  readonly remove: string
  readonly add: string
}

/** Words that Enter adds, each with a cross to take it away. */
export const chips = task<Goal>({
  name: 'tags: take one away and add one',
  ask: ({ remove, add }) => `Remove the tag ${remove} and add the tag ${add}.`,
  style: '.cross { cursor: pointer }',
  app: ({ body, h, two, pick }) => {
    const start = ['red', 'green', 'blue']
    const [remove, other] = two(start)
    const add = pick(['teal', 'pink', 'grey'])
    const tags = [...start]
    const row = h('div', { role: 'list', 'aria-label': 'Tags' })
    const field = h('input', {
      placeholder: 'Add a tag',
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && field.value) {
          tags.push(field.value.trim())
          field.value = ''
          draw()
        } else if (event.key === 'Backspace' && !field.value) {
          tags.pop()
          draw()
        }
      },
    })
    const draw = (): void =>
      row.replaceChildren(
        ...tags.map((text) =>
          h(
            'span',
            { role: 'listitem' },
            text,
            ' ',
            h('span', {
              class: 'cross',
              text: '×',
              onclick: () => {
                tags.splice(tags.indexOf(text), 1)
                draw()
              },
            }),
          ),
        ),
      )
    draw()
    body.append(row, field)
    const wanted = [...start.filter((one) => one !== remove), add].join()
    return {
      goal: { remove, add },
      decoy: { remove: other, add },
      isReached: () => tags.join() === wanted,
    }
  },
  solve: async ({ look, click, type }, { remove, add }) => {
    const page = await look()
    const at = page.lines.findIndex(
      ({ text, name }) => text === remove || name === remove || text.startsWith(`${remove} `),
    )
    const cross = page.lines.slice(at).find(({ role, ref }) => role === 'generic' && ref)
    await click(cross?.ref ?? '')
    await type(page.ref('textbox', 'Add a tag'), add, { enter: true })
  },
})
