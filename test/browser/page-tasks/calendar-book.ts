import { task } from './support/task.ts'

interface Goal {
  readonly month: string
  readonly day: number
  readonly what: string
}

/** A month as a grid; a day is opened, and an entry written in its dialog. */
export const calendarBook = task<Goal>({
  name: 'calendar: an entry on a day of a later month',
  ask: ({ month, day, what }) => `Enter "${what}" on ${day} ${month} 2026.`,
  app: ({ body, h, two, pick, int }) => {
    const months = ['January', 'February', 'March', 'April', 'May', 'June']
    const [month, otherMonth] = two(months)
    const day = int(1, 28)
    const what = pick(['Dentist', 'Team lunch', 'Tax day'])
    const entries: string[] = []
    const draw = (shown: number): void => {
      const turn = (by: number, text: string): HTMLElement =>
        h('button', { text, disabled: !months[shown + by], onclick: () => draw(shown + by) })
      const grid = h('table', { role: 'grid', 'aria-label': `${months[shown]} 2026` })
      for (let week = 0; week < 4; week += 1) {
        const row = h('tr')
        for (let n = week * 7 + 1; n <= week * 7 + 7; n += 1)
          row.append(
            h('td', { role: 'gridcell', tabindex: -1, text: n, onclick: () => open(shown, n) }),
          )
        grid.append(row)
      }
      body.replaceChildren(turn(-1, 'Previous month'), turn(1, 'Next month'), grid)
    }
    const open = (shown: number, n: number): void => {
      const title = h('input', { 'aria-label': 'Title' })
      const save = h('button', {
        text: 'Save entry',
        onclick: () => {
          entries.push(`${months[shown]} ${n}: ${title.value}`)
          dialog.remove()
        },
      })
      const dialog = h('dialog', { 'aria-label': `${n} ${months[shown]}` }, title, save)
      body.append(dialog)
      dialog.showModal()
    }
    draw(0)
    const isReached = (): boolean => entries.join() === `${month} ${day}: ${what}`
    return { goal: { month, day, what }, decoy: { month: otherMonth, day, what }, isReached }
  },
  solve: async ({ look, click, type }, { month, day, what }) => {
    let page = await look()
    for (let step = 0; step < 6 && !page.has('grid', `${month} 2026`); step += 1) {
      await click(page.ref('button', 'Next month'))
      page = await look()
    }
    const dialog = await click(page.ref('gridcell', String(day)))
    await type(dialog.ref('textbox', 'Title'), what)
    await click(dialog.ref('button', 'Save entry'))
  },
})
