import { task } from './support/task.ts'

/** Bars of SVG, which a click chooses; their values are their titles. */
export const svgChart = task<{ readonly rank: 'highest' | 'lowest' }>({
  name: 'chart: choose a bar by its value',
  ask: ({ rank }) => `In the chart, choose the bar with the ${rank} value.`,
  style: 'rect { cursor: pointer; fill: steelblue }',
  app: ({ body, h, shuffle, int }) => {
    const quarters = ['Q1', 'Q2', 'Q3', 'Q4']
    const values = shuffle([int(10, 19), int(20, 29), int(30, 39), int(40, 49)])
    const chosen: number[] = []
    const ns = 'http://www.w3.org/2000/svg'
    const svg = document.createElementNS(ns, 'svg')
    svg.setAttribute('width', '300')
    svg.setAttribute('height', '220')
    svg.setAttribute('aria-label', 'Sales')
    for (const [n, value] of values.entries()) {
      const bar = document.createElementNS(ns, 'rect')
      for (const [name, at] of Object.entries({
        x: n * 70,
        y: 200 - value * 4,
        width: 50,
        height: value * 4,
      }))
        bar.setAttribute(name, String(at))
      const title = document.createElementNS(ns, 'title')
      title.textContent = `${quarters[n]}: ${value}`
      bar.append(title)
      bar.addEventListener('click', () => chosen.push(value))
      svg.append(bar)
    }
    body.append(h('figure', {}, svg))
    return {
      goal: { rank: 'highest' },
      decoy: { rank: 'lowest' },
      isReached: () => chosen.join() === String(Math.max(...values)),
    }
  },
  solve: async ({ look, click }, { rank }) => {
    const bars = (await look()).lines
      .map(({ ref, name, text, marks }) => ({
        ref,
        value: Number(/Q\d: (\d+)/.exec(`${name} ${text} ${marks}`)?.[1]),
      }))
      .filter(({ ref, value }) => ref && value > 0)
      .toSorted((a, b) => a.value - b.value)
    const bar = rank === 'highest' ? bars.at(-1) : bars[0]
    await click(bar?.ref ?? '')
  },
})
