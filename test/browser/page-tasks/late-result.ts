import { task } from './support/task.ts'

interface Goal {
  readonly report: string
}

/** A bar that fills for a second and a half, and a link when it is full. */
export const lateResult = task<Goal>({
  name: 'waiting: a result that takes a while',
  ask: ({ report }) => `Make the report ${report} and open it.`,
  app: ({ body, h, two }) => {
    const reports = ['Sales', 'Costs', 'Staff']
    const [report, other] = two(reports)
    const opened: string[] = []
    for (const name of reports) {
      const part = h('section', { 'aria-label': name })
      const make = h('button', {
        text: `Make ${name}`,
        onclick: () => {
          make.disabled = true
          const bar = h('progress', { max: 100, value: 0, 'aria-label': name })
          part.append(bar)
          const timer = setInterval(() => {
            bar.value += 10
            if (bar.value < 100) return
            clearInterval(timer)
            bar.replaceWith(
              h('a', { href: '#', text: `Open ${name}`, onclick: () => opened.push(name) }),
            )
          }, 150)
        },
      })
      part.append(make)
      body.append(part)
    }
    return { goal: { report }, decoy: { report: other }, isReached: () => opened.join() === report }
  },
  solve: async ({ look, click, act }, { report }) => {
    await click((await look()).ref('button', `Make ${report}`))
    await act('wait_for', { role: 'link', name: `Open ${report}`, timeoutMs: 20_000 })
    await click((await look()).ref('link', `Open ${report}`))
  },
})
