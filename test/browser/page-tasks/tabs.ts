import { task } from './support/task.ts'

interface Goal {
  readonly tab: string
  readonly option: string
}

/** Each tab has boxes with the same names. */
export const tabs = task<Goal>({
  name: 'tabs: a box in one of them',
  ask: ({ tab, option }) => `In the settings for ${tab}, turn on ${option} and nothing else.`,
  app: ({ body, h, two, pick }) => {
    const names = ['Mail', 'Phone', 'Post']
    const options = ['News', 'Offers', 'Invoices']
    const [tab, other] = two(names)
    const option = pick(options)
    const boxes = new Map<string, HTMLInputElement>()
    const list = h('div', { role: 'tablist', 'aria-label': 'Settings' })
    const panels = names.map((name, n) => {
      const panel = h('div', { role: 'tabpanel', 'aria-label': name, hidden: n > 0 })
      for (const text of options) {
        const box = h('input', { type: 'checkbox' })
        boxes.set(`${name} ${text}`, box)
        panel.append(h('label', {}, box, text))
      }
      return panel
    })
    for (const [n, text] of names.entries()) {
      const choose = (): void => {
        for (const [index, one] of [...list.children].entries()) {
          one.setAttribute('aria-selected', String(index === n))
          const panel = panels[index]
          if (panel) panel.hidden = index !== n
        }
      }
      list.append(
        h('button', { role: 'tab', 'aria-selected': String(n === 0), text, onclick: choose }),
      )
    }
    body.append(list, ...panels)
    const isReached = (): boolean =>
      [...boxes].every(([key, { checked }]) => checked === (key === `${tab} ${option}`))
    return { goal: { tab, option }, decoy: { tab: other, option }, isReached }
  },
  solve: async ({ look, click, act }, { tab, option }) => {
    await click((await look()).ref('tab', tab))
    const panel = (await look()).within('tabpanel', tab)
    await act('set_checked', { ref: panel.ref('checkbox', option), checked: true })
  },
})
