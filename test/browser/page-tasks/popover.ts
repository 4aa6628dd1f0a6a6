import { task } from './support/task.ts'

interface Goal {
  readonly person: string
  readonly role: string
}

/** The browser's own popovers, which a click elsewhere closes. */
export const popover = task<Goal>({
  name: 'popover: one for each person',
  ask: ({ person, role }) => `Give ${person} the role ${role}.`,
  app: ({ body, h, two, pick }) => {
    const people = ['Ada', 'Grace', 'Linus']
    const [person, other] = two(people)
    const role = pick(['Editor', 'Owner'])
    const roles: Record<string, string> = { Ada: 'Reader', Grace: 'Reader', Linus: 'Reader' }
    for (const name of people) {
      const shown = h('span', { text: 'Reader' })
      const choices = ['Reader', 'Editor', 'Owner'].map((text) =>
        h('button', {
          text,
          onclick: () => {
            roles[name] = text
            shown.textContent = text
            menu.hidePopover()
          },
        }),
      )
      const menu: HTMLElement = h('div', { popover: 'auto', id: `p-${name}` }, ...choices)
      const open = h('button', { popovertarget: `p-${name}`, text: 'Change role' })
      body.append(h('p', { role: 'group', 'aria-label': name }, name, ' ', shown, open), menu)
    }
    const isReached = (): boolean =>
      people.every((name) => roles[name] === (name === person ? role : 'Reader'))
    return { goal: { person, role }, decoy: { person: other, role }, isReached }
  },
  solve: async ({ look, click }, { person, role }) => {
    const open = (await look()).within('group', person).ref('button', 'Change role')
    const said = await click(open)
    await click(said.all('button', role)[0]?.ref ?? (await look()).ref('button', role))
  },
})
