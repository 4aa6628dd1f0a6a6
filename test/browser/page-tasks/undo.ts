import { task } from './support/task.ts'

/** Control+Z, as the app itself has it. */
export const undo = task<{ readonly steps: number }>({
  name: 'undo: some steps back',
  ask: ({ steps }) => `Undo the last ${steps} steps with Control+Z.`,
  app: ({ body, h, int }) => {
    const steps = int(2, 5)
    const history = ['Circle', 'Square', 'Line', 'Text', 'Arrow', 'Frame', 'Note']
    const list = h('ol', { 'aria-label': 'Shapes' })
    const start = history.length
    const draw = (): void => list.replaceChildren(...history.map((text) => h('li', { text })))
    draw()
    body.append(list, h('p', { text: 'Control+Z undoes a step.' }))
    addEventListener('keydown', (event) => {
      if (event.ctrlKey && !event.shiftKey && event.key === 'z') {
        history.pop()
        draw()
      }
    })
    return {
      goal: { steps },
      decoy: { steps: steps + 1 },
      isReached: () => history.length === start - steps,
    }
  },
  solve: async ({ act }, { steps }) => {
    await act('press_key', { key: 'Control+Z', times: steps })
  },
})
