import { task } from './support/task.ts'

interface Goal {
  readonly brand: string
  readonly colour: string
}

/** Boxes that filter at once; one of what is left goes into the cart. */
export const facets = task<Goal>({
  name: 'filters: the cheapest of what is left',
  ask: ({ brand, colour }) => `Put the cheapest ${colour} bag of ${brand} into the cart.`,
  app: ({ body, h, two, pick, shuffle, int }) => {
    const brands = ['Acme', 'Globex', 'Initech']
    const tones = ['black', 'brown', 'blue']
    const bags = brands.flatMap((maker) =>
      tones.flatMap((tone) =>
        [1, 2, 3].map((n) => ({
          maker,
          tone,
          price: int(20, 29) + n * 10,
          id: `${maker}${tone}${n}`,
        })),
      ),
    )
    const [brand, other] = two(brands)
    const colour = pick(tones)
    const cart: string[] = []
    const chosen = new Set<string>()
    const list = h('ul', { 'aria-label': 'Bags' })
    const shuffled = shuffle(bags)
    const draw = (): void => {
      const passes = (value: string, all: readonly string[]): boolean =>
        chosen.has(value) || !all.some((one) => chosen.has(one))
      const left = shuffled.filter(
        ({ maker, tone }) => passes(maker, brands) && passes(tone, tones),
      )
      list.replaceChildren(
        ...left.map(({ maker, tone, price, id }) =>
          h(
            'li',
            {},
            `${maker}, ${tone}, ${price} €`,
            h('button', { text: 'Into the cart', onclick: () => cart.push(id) }),
          ),
        ),
      )
    }
    const boxes = (legend: string, values: readonly string[]): HTMLElement =>
      h(
        'fieldset',
        {},
        h('legend', { text: legend }),
        ...values.map((value) => {
          const box = h('input', {
            type: 'checkbox',
            onchange: () => {
              if (box.checked) chosen.add(value)
              else chosen.delete(value)
              draw()
            },
          })
          return h('label', {}, box, value)
        }),
      )
    body.append(boxes('Brand', brands), boxes('Colour', tones), list)
    draw()
    const isReached = (): boolean => cart.join() === `${brand}${colour}1`
    return { goal: { brand, colour }, decoy: { brand: other, colour }, isReached }
  },
  solve: async ({ look, act, click }, { brand, colour }) => {
    const page = await look()
    await act('set_checked', { ref: page.ref('checkbox', brand), checked: true })
    await act('set_checked', { ref: page.ref('checkbox', colour), checked: true })
    const left = (await look()).within('list', 'Bags')
    const rows = left.all('listitem').map((row) => left.inside(row))
    const price = ({ lines }: { readonly lines: readonly { readonly text: string }[] }): number =>
      Number(/(\d+) €/.exec(lines.map(({ text }) => text).join(' '))?.[1])
    const cheapest = rows.toSorted((a, b) => price(a) - price(b))[0]
    await click(cheapest?.ref('button', 'Into the cart') ?? '')
  },
})
