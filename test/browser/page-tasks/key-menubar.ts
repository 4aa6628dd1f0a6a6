import { task } from './support/task.ts'

interface Goal {
  readonly menu: string
  readonly item: string
}

/** A bar of menus that is entered by Alt+M, and moved in by the arrow keys. */
export const keyMenubar = task<Goal>({
  name: 'menu bar: by the keyboard only',
  ask: ({ menu, item }) => `Choose ${item} in the menu ${menu}. Alt+M goes to the menu bar.`,
  app: ({ body, h, two, pick }) => {
    const menus: Readonly<Record<string, readonly string[]>> = {
      File: ['New', 'Open', 'Print'],
      Edit: ['Copy', 'Paste', 'Find'],
      View: ['Zoom', 'Grid', 'Rulers'],
    }
    const names = Object.keys(menus)
    const [menu, other] = two(names)
    const item = pick(menus[menu] ?? [])
    const chosen: string[] = []
    const entry = (text: string, onkeydown: (event: KeyboardEvent) => void): HTMLElement =>
      h('div', { role: 'menuitem', tabindex: -1, text, onkeydown })
    const heads = names.map((name, n) => {
      const list = h('div', { role: 'menu', 'aria-label': name, hidden: true })
      const head = h('div', {
        role: 'menuitem',
        tabindex: -1,
        'aria-haspopup': 'menu',
        'aria-expanded': 'false',
        text: name,
      })
      const items = (menus[name] ?? []).map((text, at) =>
        entry(text, (event) => {
          event.stopPropagation()
          if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus()
          if (event.key === 'Enter') chosen.push(`${name} ${text}`)
          if (event.key === 'Enter' || event.key === 'Escape') {
            list.hidden = true
            head.setAttribute('aria-expanded', 'false')
          }
        }),
      )
      list.append(...items)
      head.onkeydown = ({ key }) => {
        if (key === 'ArrowRight') heads[(n + 1) % heads.length]?.head.focus()
        if (key === 'ArrowDown') {
          list.hidden = false
          head.setAttribute('aria-expanded', 'true')
          items[0]?.focus()
        }
      }
      return { head, list }
    })
    addEventListener('keydown', (event) => {
      if (event.altKey && event.key === 'm') heads[0]?.head.focus()
    })
    body.append(
      h(
        'div',
        { role: 'menubar', 'aria-label': 'Main' },
        ...heads.flatMap(({ head, list }) => [head, list]),
      ),
    )
    const decoy = { menu: other, item: menus[other]?.[0] ?? '' }
    return { goal: { menu, item }, decoy, isReached: () => chosen.join() === `${menu} ${item}` }
  },
  solve: async ({ press }, { menu, item }) => {
    let said = await press('Alt+M')
    for (let step = 0; step < 3 && !said.text.includes(`"${menu}"`); step += 1)
      said = await press('ArrowRight')
    said = await press('ArrowDown')
    for (let step = 0; step < 3 && !said.text.includes(`focus is on menuitem "${item}"`); step += 1)
      said = await press('ArrowDown')
    await press('Enter')
  },
})
