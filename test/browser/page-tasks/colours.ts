import { task } from './support/task.ts'

interface Goal {
  readonly paint: string
  readonly swatch: string
}

/** The browser's field for a colour, and swatches without a word on them. */
export const colours = task<Goal>({
  name: 'colours: a field and swatches',
  ask: ({ paint, swatch }) => `Set the paint to ${paint} and the frame to ${swatch}.`,
  style: '[role=radio] { display: inline-block; width: 24px; height: 24px }',
  app: ({ body, h, two, int }) => {
    const paint = `#${int(0x100000, 0xffffff).toString(16)}`
    const [swatch, other] = two(['Teal', 'Crimson', 'Navy', 'Olive', 'Orange'])
    let frame = ''
    const field = h('input', { type: 'color', 'aria-label': 'Paint' })
    const group = h('div', { role: 'radiogroup', 'aria-label': 'Frame' })
    for (const name of ['Teal', 'Crimson', 'Navy', 'Olive', 'Orange']) {
      const choose = (): void => {
        frame = name
        for (const one of group.children) one.setAttribute('aria-checked', String(one === radio))
      }
      const radio = h('div', {
        role: 'radio',
        tabindex: 0,
        title: name,
        'aria-checked': 'false',
        style: `background: ${name}`,
        onclick: choose,
      })
      group.append(radio)
    }
    body.append(field, group)
    return {
      goal: { paint, swatch },
      decoy: { paint, swatch: other },
      isReached: () => field.value === paint && frame === swatch,
    }
  },
  solve: async ({ look, type, act }, { paint, swatch }) => {
    const page = await look()
    const field = page.lines.find(({ name }) => name === 'Paint')
    await type(field?.ref ?? '', paint)
    await act('set_checked', { ref: page.ref('radio', swatch), checked: true })
  },
})
