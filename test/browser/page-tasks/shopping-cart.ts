import { task } from './support/task.ts'

interface Goal {
  readonly item: string
  readonly count: number
  readonly coupon: string
}

/** A catalogue, a cart in a drawer, a coupon that is checked, and a way to the till. */
export const shoppingCart = task<Goal>({
  name: 'shop: amount and coupon',
  ask: ({ item, count, coupon }) =>
    `Put ${count} of ${item} into the cart, use the coupon ${coupon} and go to the till.`,
  app: ({ body, h, two, int }) => {
    const items = ['Blue mug', 'Red mug', 'Green mug', 'Mug tree']
    const [item, other] = two(items)
    const count = int(2, 4)
    const coupon = `SAVE${int(10, 30)}`
    const cart = new Map<string, number>()
    const tills: string[] = []
    let used = ''
    const drawer = h('aside', { 'aria-label': 'Cart', hidden: true })
    const draw = (): void => {
      const code = h('input', { 'aria-label': 'Coupon' })
      const message = h('p', { role: 'status', text: used && `${used} is used` })
      drawer.replaceChildren(
        h(
          'ul',
          {},
          ...[...cart].map(([name, n]) => {
            const step = (by: number): void => {
              cart.set(name, n + by)
              if (n + by === 0) cart.delete(name)
              draw()
            }
            return h(
              'li',
              {},
              `${name}: ${n}`,
              h('button', { 'aria-label': `One ${name} less`, text: '-', onclick: () => step(-1) }),
              h('button', { 'aria-label': `One ${name} more`, text: '+', onclick: () => step(1) }),
            )
          }),
        ),
        code,
        h('button', {
          text: 'Use coupon',
          onclick: () => {
            if (code.value !== coupon) message.textContent = 'Not known'
            else {
              used = code.value
              draw()
            }
          },
        }),
        message,
        h('button', {
          text: 'Go to the till',
          onclick: () => tills.push(JSON.stringify([[...cart], used])),
        }),
      )
    }
    const catalogue = h(
      'main',
      {},
      ...items.map((name) =>
        h(
          'section',
          { 'aria-label': name },
          h('h2', { text: name }),
          h('button', {
            text: 'Add to cart',
            onclick: () => {
              cart.set(name, (cart.get(name) ?? 0) + 1)
              draw()
            },
          }),
        ),
      ),
    )
    draw()
    body.append(
      h('button', { text: 'Show cart', onclick: () => (drawer.hidden = false) }),
      catalogue,
      drawer,
    )
    const isReached = (): boolean => tills.join('|') === JSON.stringify([[[item, count]], coupon])
    return { goal: { item, count, coupon }, decoy: { item: other, count, coupon }, isReached }
  },
  solve: async ({ look, click, type }, { item, count, coupon }) => {
    const page = await look()
    await click(page.within('region', item).ref('button', 'Add to cart'))
    await click(page.ref('button', 'Show cart'))
    for (let n = 1; n < count; n += 1) await click((await look()).ref('button', `One ${item} more`))
    const cart = (await look()).within('complementary', 'Cart')
    await type(cart.ref('textbox', 'Coupon'), coupon)
    const said = await click(cart.ref('button', 'Use coupon'))
    if (!said.text.includes(`${coupon} is used`)) throw new Error(said.text)
    await click((await look()).ref('button', 'Go to the till'))
  },
})
