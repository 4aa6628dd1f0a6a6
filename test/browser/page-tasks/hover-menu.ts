import { task } from './support/task.ts'

interface Goal {
  readonly menu: string
  readonly item: string
}

/** Menus that a script opens below the pointer, and closes when it leaves. */
export const hoverMenu = task<Goal>({
  name: 'menus: they open below the pointer',
  ask: ({ menu, item }) => `Choose ${item} in the menu ${menu}.`,
  style:
    'nav > div { display: inline-block; padding: 8px; position: relative } nav ul { position: absolute; background: white; border: 1px solid; margin: 0; width: 120px } li { cursor: pointer }',
  app: ({ body, h, two, pick }) => {
    const menus: Readonly<Record<string, readonly string[]>> = {
      Women: ['Shoes', 'Coats', 'Hats'],
      Men: ['Shoes', 'Coats', 'Ties'],
      Children: ['Shoes', 'Toys', 'Hats'],
    }
    const [menu, other] = two(Object.keys(menus))
    const item = pick(menus[menu] ?? [])
    const chosen: string[] = []
    const nav = h('nav', { 'aria-label': 'Departments' })
    for (const [name, items] of Object.entries(menus)) {
      const list = h(
        'ul',
        { hidden: true },
        ...items.map((text) => h('li', { text, onclick: () => chosen.push(`${name} ${text}`) })),
      )
      const head = h(
        'div',
        {
          onmouseenter: () => (list.hidden = false),
          onmouseleave: () => (list.hidden = true),
        },
        h('span', { text: name }),
        list,
      )
      nav.append(head)
    }
    body.append(nav, h('p', { text: 'Welcome' }))
    const decoy = { menu: other, item: menus[other]?.[0] ?? '' }
    return { goal: { menu, item }, decoy, isReached: () => chosen.join() === `${menu} ${item}` }
  },
  solve: async ({ act, click }, { menu, item }) => {
    const said = await act('hover', { ref: menu })
    const entry = said.lines.find((line) => line.ref && (line.name === item || line.text === item))
    await click(entry?.ref ?? (await act('read_page')).ref('listitem', item))
  },
})
