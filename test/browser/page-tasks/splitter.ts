import { task } from './support/task.ts'

/** A bar between two panes; how wide they are is said by the bar. */
export const splitter = task<{ readonly width: number }>({
  name: 'drag: the bar between two panes',
  ask: ({ width }) => `Make the list ${width} pixels wide.`,
  style:
    '#panes { display: flex; width: 700px; height: 200px } #bar { width: 8px; background: #888; cursor: col-resize } #list { flex: none; overflow: hidden }',
  app: ({ body, h, int }) => {
    const width = int(25, 40) * 10
    let now = 200
    const list = h('div', { id: 'list', text: 'List' })
    const draw = (): void => {
      list.style.width = `${now}px`
      bar.setAttribute('aria-valuenow', String(now))
    }
    const bar: HTMLElement = h('div', {
      id: 'bar',
      role: 'separator',
      tabindex: 0,
      'aria-label': 'Width of the list',
      'aria-valuemin': 100,
      'aria-valuemax': 600,
      onpointerdown: (down: PointerEvent) => {
        const start = now
        bar.setPointerCapture(down.pointerId)
        bar.onpointermove = ({ clientX }) => {
          now = Math.min(600, Math.max(100, start + clientX - down.clientX))
          draw()
        }
        bar.onpointerup = () => (bar.onpointermove = null)
      },
    })
    draw()
    body.append(h('div', { id: 'panes' }, list, bar, h('div', { text: 'Detail' })))
    return { goal: { width }, decoy: { width: width + 10 }, isReached: () => now === width }
  },
  solve: async ({ look, act }, { width }) => {
    const bar = (await look()).one('separator', 'Width of the list')
    await act('drag', { ref: bar.ref, x: width - Number(bar.text), y: 0 })
  },
})
