import { task } from './support/task.ts'

interface Goal {
  readonly slide: string
}

/** Slides that move sideways in a box; those outside of it are in the document, too. */
export const carousel = task<Goal>({
  name: 'carousel: a button on one of its slides',
  ask: ({ slide }) => `Put ${slide} on the wish list.`,
  style:
    '#box { width: 300px; overflow: clip } #row { display: flex; transition: transform 0.2s } #row > div { flex: none; width: 300px; height: 100px }',
  app: ({ body, h, two, shuffle }) => {
    const slides = shuffle(['Tent', 'Stove', 'Lantern', 'Rope'])
    const [slide, other] = two(slides)
    const wishes: string[] = []
    let now = 0
    const row = h(
      'div',
      { id: 'row' },
      ...slides.map((name) =>
        h(
          'div',
          { role: 'group', 'aria-roledescription': 'slide', 'aria-label': name },
          h('h2', { text: name }),
          h('button', {
            text: 'Wish for it',
            'aria-label': `Wish for ${name}`,
            onclick: () => wishes.push(slides[now] === name ? name : `${name}, unseen`),
          }),
        ),
      ),
    )
    const turn = (by: number): void => {
      now = (now + by + slides.length) % slides.length
      row.style.transform = `translateX(${-now * 300}px)`
    }
    body.append(
      h(
        'section',
        { 'aria-roledescription': 'carousel', 'aria-label': 'Offers' },
        h('div', { id: 'box' }, row),
        h('button', { text: 'Previous slide', onclick: () => turn(-1) }),
        h('button', { text: 'Next slide', onclick: () => turn(1) }),
      ),
    )
    return { goal: { slide }, decoy: { slide: other }, isReached: () => wishes.join() === slide }
  },
  solve: async ({ look, click, attempt }, { slide }) => {
    const page = await look()
    const next = page.ref('button', 'Next slide')
    for (let step = 0; step < 4; step += 1) {
      const said = await attempt('click', { ref: page.ref('button', `Wish for ${slide}`) })
      if (said.text.startsWith('Clicked')) return
      await click(next)
    }
  },
})
