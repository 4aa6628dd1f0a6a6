import { task } from './support/task.ts'

/** More comes, after a while, when the end of the list is in view. */
export const infiniteScroll = task<{ readonly number: number }>({
  name: 'infinite scroll: an item far down',
  ask: ({ number }) => `Like post number ${number}.`,
  style: '#feed { height: 400px; overflow: auto } article { height: 90px }',
  app: ({ body, h, int }) => {
    const number = int(30, 45)
    const liked: number[] = []
    const feed = h('div', { id: 'feed', role: 'feed', 'aria-label': 'Posts', tabindex: 0 })
    const end = h('p', { text: 'Loading …' })
    let count = 0
    const more = (): void => {
      for (let n = count + 1; n <= Math.min(60, count + 10); n += 1)
        end.before(
          h(
            'article',
            { 'aria-label': `Post ${n}` },
            `Post ${n} `,
            h('button', {
              text: 'Like',
              'aria-label': `Like post ${n}`,
              onclick: () => liked.push(n),
            }),
          ),
        )
      count = Math.min(60, count + 10)
    }
    feed.append(end)
    more()
    body.append(feed)
    let isLoading = false
    feed.onscroll = () => {
      if (isLoading || feed.scrollTop + feed.clientHeight < feed.scrollHeight - 150) return
      isLoading = true
      setTimeout(() => {
        more()
        isLoading = false
      }, 150)
    }
    return {
      goal: { number },
      decoy: { number: number + 1 },
      isReached: () => liked.join() === String(number),
    }
  },
  solve: async ({ look, act, click }, { number }) => {
    const feed = (await look()).ref('feed', 'Posts')
    await act('scroll', { ref: feed, until: `Post ${number}` })
    await click(
      (await act('find', { role: 'button', name: `Like post ${number}` })).all(
        'button',
        `Like post ${number}`,
      )[0]?.ref ?? '',
    )
  },
})
