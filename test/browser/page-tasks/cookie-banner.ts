import { task } from './support/task.ts'

interface Goal {
  readonly article: string
}

/** A layer lies over the page until it is answered; it says so by what covers a click. */
export const cookieBanner = task<Goal>({
  name: 'layer: answer it, then go on',
  ask: ({ article }) => `Refuse the cookies and open the article "${article}".`,
  style:
    '#layer { position: fixed; inset: 0; background: #000a } #layer div { background: white; margin: 100px auto; width: 300px }',
  app: ({ body, h, two, shuffle }) => {
    const articles = shuffle(['Bees', 'Trains', 'Clouds', 'Salt'])
    const [article, other] = two(articles)
    const log: string[] = []
    const answer = (text: string): void => {
      log.push(text)
      layer.remove()
    }
    const layer = h(
      'div',
      { id: 'layer' },
      h(
        'div',
        {},
        h('p', { text: 'We use cookies.' }),
        h('button', { text: 'Accept all', onclick: () => answer('accepted') }),
        h('button', { text: 'Refuse', onclick: () => answer('refused') }),
      ),
    )
    body.append(
      h(
        'main',
        {},
        ...articles.map((text) =>
          h('p', {}, h('a', { href: '#', text, onclick: () => log.push(text) })),
        ),
      ),
      layer,
    )
    return {
      goal: { article },
      decoy: { article: other },
      isReached: () => log.join() === `refused,${article}`,
    }
  },
  solve: async ({ look, click, attempt }, { article }) => {
    const page = await look()
    const link = page.ref('link', article)
    const covered = await attempt('click', { ref: link })
    if (!covered.text.startsWith('covered: ')) throw new Error(covered.text)
    await click(page.ref('button', 'Refuse'))
    await click(link)
  },
})
