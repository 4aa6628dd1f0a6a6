import { task } from './support/task.ts'

interface Goal {
  readonly low: number
  readonly high: number
}

/** Two sliders of the browser's own, one of which bounds the other. */
export const nativeSliders = task<Goal>({
  name: 'sliders: a range of prices',
  ask: ({ low, high }) => `Show rooms from ${low} to ${high} euros.`,
  app: ({ body, h, int }) => {
    const low = int(4, 9) * 10
    const high = low + int(4, 9) * 10
    const status = h('p', { role: 'status' })
    const slider = (label: string, value: number): HTMLInputElement =>
      h('input', {
        type: 'range',
        min: 0,
        max: 200,
        step: 10,
        value,
        'aria-label': label,
        oninput: () => draw(),
      })
    const from = slider('From', 0)
    const to = slider('To', 200)
    const draw = (): void => {
      if (Number(from.value) > Number(to.value)) from.value = to.value
      status.textContent = `${from.value} to ${to.value} euros`
    }
    draw()
    body.append(from, to, status)
    return {
      goal: { low, high },
      decoy: { low, high: high + 10 },
      isReached: () => status.textContent === `${low} to ${high} euros`,
    }
  },
  solve: async ({ look, type }, { low, high }) => {
    const page = await look()
    await type(page.ref('slider', 'From'), String(low))
    const said = await type(page.ref('slider', 'To'), String(high))
    if (!said.text.includes(`${low} to ${high} euros`)) throw new Error(said.text)
  },
})
