import { task } from './support/task.ts'

/** A text of which the outline shows the beginning only. */
export const longText = task<{ readonly place: string }>({
  name: 'long text: find a word in it',
  ask: ({ place }) => `Which code stands at the ${place} of the text? Type it into the field.`,
  app: ({ body, h, int }) => {
    const filler = (count: number): string =>
      Array.from(
        { length: count },
        (_, n) => `Sentence ${n} says nothing of interest to anyone.`,
      ).join(' ')
    const codes = { middle: `M-${int(1000, 9999)}`, end: `E-${int(1000, 9999)}` }
    const text = `${filler(60)} The code of the middle is ${codes.middle}. ${filler(60)} The code of the end is ${codes.end}.`
    const field = h('input', { 'aria-label': 'Code' })
    body.append(h('label', {}, 'Code ', field), h('main', {}, h('p', { text })))
    return {
      goal: { place: 'end' },
      decoy: { place: 'middle' },
      isReached: () => field.value === codes.end,
    }
  },
  solve: async ({ look, act, type }, { place }) => {
    const page = await look()
    let said = page
    const asked = new RegExp(`code of the ${place} is (\\S+?)\\.`)
    for (let step = 0; step < 9 && !asked.test(said.text); step += 1) {
      const [, from] = /\[from=(e\d+:\d+)\]/.exec(said.text) ?? []
      if (!from) throw new Error(said.text)
      said = await act('read_page', { from })
    }
    await type(page.ref('textbox', 'Code'), asked.exec(said.text)?.[1] ?? '')
  },
})
