import { task } from './support/task.ts'

/** A picture in a box that scrolls both ways; a button stands at its far corner. */
export const scrollBox = task<{ readonly corner: string }>({
  name: 'scroll: a box that scrolls both ways',
  ask: ({ corner }) => `Press the button of the ${corner} corner of the plan.`,
  style:
    '#box { width: 300px; height: 200px; overflow: auto } #plan { position: relative; width: 2000px; height: 1500px; background: #eef } button { position: absolute }',
  app: ({ body, h, two, shuffle }) => {
    const corners = ['north-west', 'north-east', 'south-west', 'south-east']
    const [corner, other] = two(corners)
    const pressed: string[] = []
    const plan = h('div', { id: 'plan' })
    const box = h('div', { id: 'box', role: 'region', 'aria-label': 'Plan', tabindex: 0 }, plan)
    for (const name of shuffle(corners)) {
      const press = (): void => {
        const { left, top, right, bottom } = box.getBoundingClientRect()
        const rect = button.getBoundingClientRect()
        const isSeen =
          rect.left >= left && rect.top >= top && rect.right <= right && rect.bottom <= bottom
        pressed.push(isSeen ? name : `${name}, unseen`)
      }
      const at = `${name.startsWith('n') ? 'top' : 'bottom'}: 4px; ${name.endsWith('w') || name.endsWith('west') ? 'left' : 'right'}: 4px`
      const button: HTMLElement = h('button', { text: `Room ${name}`, style: at, onclick: press })
      plan.append(button)
    }
    body.append(box)
    return {
      goal: { corner },
      decoy: { corner: other },
      isReached: () => pressed.join() === corner,
    }
  },
  solve: async ({ attempt, click }, { corner }) => {
    const found = await attempt('find', { role: 'button', name: `Room ${corner}` })
    await click(found.ref('button', `Room ${corner}`))
  },
})
