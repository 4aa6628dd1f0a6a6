import { task } from './support/task.ts'

/** A slider of ARIA that knows keys only, with words for its values. */
export const keySlider = task<{ readonly level: string }>({
  name: 'sliders: one that takes keys only',
  ask: ({ level }) => `Set the heating to ${level}.`,
  style: '[role=slider] { width: 20px; height: 20px; background: teal }',
  app: ({ body, h, two }) => {
    const levels = ['off', 'frost', 'low', 'mild', 'warm', 'hot']
    const [level, other] = two(levels.slice(1))
    let now = 0
    const draw = (): void => {
      slider.setAttribute('aria-valuenow', String(now))
      slider.setAttribute('aria-valuetext', levels[now] ?? '')
    }
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
    }
    const slider: HTMLElement = h('div', {
      role: 'slider',
      tabindex: 0,
      'aria-label': 'Heating',
      'aria-valuemin': 0,
      'aria-valuemax': 5,
      onkeydown: ({ key }: KeyboardEvent) => {
        now = Math.min(5, Math.max(0, now + (steps[key] ?? 0)))
        draw()
      },
    })
    draw()
    body.append(slider)
    return { goal: { level }, decoy: { level: other }, isReached: () => levels[now] === level }
  },
  solve: async ({ look, press }, { level }) => {
    const ref = (await look()).ref('slider', 'Heating')
    for (let step = 0; step < 6; step += 1) {
      const said = await press('ArrowRight', ref)
      if (new RegExp(`: ${level}\\b|"${level}"`).test(said.text)) return
    }
    throw new Error('The level was never said.')
  },
})
