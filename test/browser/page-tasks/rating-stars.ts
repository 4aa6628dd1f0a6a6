import { task } from './support/task.ts'

interface Goal {
  readonly what: string
  readonly stars: number
}

/** Stars of SVG that follow the pointer, without a role; a hidden field has the value. */
export const ratingStars = task<Goal>({
  name: 'rating: stars without a role',
  ask: ({ what, stars }) => `Rate ${what} with ${stars} stars.`,
  style: 'i { cursor: pointer; font-style: normal }',
  app: ({ body, h, two, int }) => {
    const aspects = ['Food', 'Service', 'Place']
    const [what, other] = two(aspects)
    const stars = int(1, 5)
    const fields = aspects.map((name) => {
      const field = h('input', { type: 'hidden', name: name.toLowerCase() })
      const all = [1, 2, 3, 4, 5].map((n) =>
        h('i', {
          text: '☆',
          'data-value': n,
          title: `${n} of 5`,
          onmouseenter: () => draw(n),
          onclick: () => {
            field.value = String(n)
          },
        }),
      )
      const draw = (upTo: number): void => {
        for (const [n, star] of all.entries()) star.textContent = n < upTo ? '★' : '☆'
      }
      const row = h('div', { onmouseleave: () => draw(Number(field.value)) }, ...all)
      body.append(h('fieldset', {}, h('legend', { text: name }), row, field))
      return field
    })
    const isReached = (): boolean =>
      fields.every(({ value }, n) => value === (aspects[n] === what ? String(stars) : ''))
    return { goal: { what, stars }, decoy: { what: other, stars }, isReached }
  },
  solve: async ({ look, click }, { what, stars }) => {
    const row = (await look()).within('group', what)
    const star =
      row.lines.find(({ marks }) => marks.includes(`"${stars} of 5"`)) ??
      row.all('generic')[stars - 1]
    await click(star?.ref ?? '')
  },
})
