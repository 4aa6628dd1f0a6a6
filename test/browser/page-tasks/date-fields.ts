import { task } from './support/task.ts'

interface Goal {
  readonly date: string
  readonly time: string
}

/** The browser's own fields for days, times, months and weeks. */
export const dateFields = task<Goal>({
  name: 'dates: the browser’s own fields',
  ask: ({ date, time }) =>
    `Set the day to ${date}, the time to ${time}, the alarm to both of them, and the month to that of the day.`,
  app: ({ body, h, int }) => {
    const two = (n: number): string => String(n).padStart(2, '0')
    const date = `2026-${two(int(1, 12))}-${two(int(1, 28))}`
    const time = `${two(int(0, 23))}:${two(int(0, 59))}`
    const field = (type: string, label: string): HTMLInputElement => {
      const input = h('input', { type })
      body.append(h('label', {}, `${label} `, input), h('br'))
      return input
    }
    const fields = [
      field('date', 'Day'),
      field('time', 'Time'),
      field('datetime-local', 'Alarm'),
      field('month', 'Month'),
    ]
    // Firefox and WebKit have no field of its own for a month, and take any text there.
    const isReached = (): boolean =>
      fields.map(({ value }) => value).join() ===
      [date, time, `${date}T${time}`, date.slice(0, 7)].join()
    return { goal: { date, time }, decoy: { date: '2026-12-29', time }, isReached }
  },
  solve: async ({ look, act }, { date, time }) => {
    const { lines } = await look()
    const ref = (name: string): string => lines.find((line) => line.name === name)?.ref ?? ''
    const values = [date, time, `${date}T${time}`, date.slice(0, 7)]
    const fields = ['Day', 'Time', 'Alarm', 'Month'].map((name, n) => ({
      ref: ref(name),
      value: values[n],
    }))
    await act('fill_form', { fields })
  },
})
