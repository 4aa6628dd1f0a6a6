import { task } from './support/task.ts'

interface Goal {
  readonly cell: string
  readonly value: string
}

/** A table of which cells are edited by a double click; Escape and a click elsewhere drop the change. */
export const inlineEdit = task<Goal>({
  name: 'table: edit a cell in place',
  ask: ({ cell, value }) => `Set the price of ${cell} to ${value}.`,
  app: ({ body, h, two, int }) => {
    const items = ['Mug', 'Lamp', 'Chair', 'Desk']
    const [cell, other] = two(items)
    const value = `${int(10, 99)}.50`
    const prices: Record<string, string> = { Mug: '5', Lamp: '6', Chair: '7', Desk: '8' }
    const table = h(
      'table',
      { 'aria-label': 'Prices' },
      h('tr', {}, h('th', { text: 'Item' }), h('th', { text: 'Price' })),
    )
    for (const name of items) {
      const price: HTMLElement = h('td', {
        text: prices[name] ?? '',
        ondblclick: () => {
          const field = h('input', { 'aria-label': `Price of ${name}`, value: prices[name] ?? '' })
          const end = (): void => void (price.textContent = prices[name] ?? '')
          field.onkeydown = ({ key }) => {
            if (key === 'Enter') prices[name] = field.value
            if (key === 'Enter' || key === 'Escape') field.blur()
          }
          field.onblur = end
          price.replaceChildren(field)
          field.focus()
        },
      })
      table.append(h('tr', {}, h('td', { text: name }), price))
    }
    body.append(table)
    const before = JSON.stringify(prices)
    const isReached = (): boolean =>
      JSON.stringify({ ...prices, [cell]: JSON.parse(before)[cell] }) === before &&
      prices[cell] === value
    return { goal: { cell, value }, decoy: { cell: other, value }, isReached }
  },
  solve: async ({ look, act, type }, { cell, value }) => {
    const old = { Mug: '5', Lamp: '6', Chair: '7', Desk: '8' }[cell] ?? ''
    const page = await look()
    const row = page.lines.find(({ text }) => text.startsWith(`${cell} |`))
    if (!row) throw new Error(page.text)
    const found = await act('find', { text: old })
    const target = found.lines.find(({ text, name, ref }) => ref && (text === old || name === old))
    const field = await act('click', { ref: target?.ref, kind: 'double' })
    await type(field.ref('textbox', `Price of ${cell}`), value, { enter: true })
  },
})
