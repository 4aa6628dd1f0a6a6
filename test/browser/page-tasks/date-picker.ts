import { task } from './support/task.ts'

interface Goal {
  readonly month: string
  readonly day: number
}

/** A field that takes no text, with days that are no buttons, some of them of the months beside it. */
export const datePicker = task<Goal>({
  name: 'dates: a picker of plain elements',
  ask: ({ month, day }) => `Choose ${day} ${month} as the day of arrival.`,
  style: '.day { display: inline-block; width: 30px; cursor: pointer } .beside { color: #888 }',
  app: ({ body, h, two, int }) => {
    const months = ['June', 'July', 'August', 'September']
    const [month, otherMonth] = two(months)
    const day = int(25, 30)
    let chosen = ''
    const field = h('input', { 'aria-label': 'Arrival', readonly: true })
    const popup = h('div', { class: 'popup' })
    const draw = (shown: number): void => {
      const turn = (by: number, title: string, text: string): HTMLElement =>
        h('span', {
          class: 'day',
          title,
          text,
          onclick: () => draw(Math.min(3, Math.max(0, shown + by))),
        })
      const cell = (n: number, of: number): HTMLElement =>
        h('span', {
          class: of === shown ? 'day' : 'day beside',
          text: n,
          title: `${n} ${months[of] ?? 'beyond'}`,
          onclick: () => {
            chosen = `${n} ${months[of]}`
            field.value = chosen
            popup.replaceChildren()
          },
        })
      const days = Array.from({ length: 30 }, (_, n) => cell(n + 1, shown))
      const before = [28, 29, 30].map((n) => cell(n, shown - 1))
      popup.replaceChildren(
        turn(-1, 'Earlier', '‹'),
        h('b', { text: months[shown] ?? '' }),
        turn(1, 'Later', '›'),
        h('div', {}, ...before, ...days),
      )
    }
    field.addEventListener('click', () => draw(0))
    body.append(field, popup)
    return {
      goal: { month, day },
      decoy: { month: otherMonth, day },
      isReached: () => chosen === `${day} ${month}`,
    }
  },
  solve: async ({ look, click }, { month, day }) => {
    await click((await look()).ref('textbox', 'Arrival'))
    let page = await look()
    for (let step = 0; step < 4 && !page.text.includes(`"${day} ${month}"`); step += 1) {
      await click(page.lines.find(({ marks }) => marks.includes('[title="Later"]'))?.ref ?? '')
      page = await look()
    }
    await click(
      page.lines.find(({ marks }) => marks.includes(`[title="${day} ${month}"]`))?.ref ?? '',
    )
  },
})
