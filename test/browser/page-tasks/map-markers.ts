import { task } from './support/task.ts'

/** Tiles, markers and signs to come closer; the marker that is wanted is outside at first. */
export const mapMarkers = task<{ readonly place: string }>({
  name: 'map: move it and open a marker',
  ask: ({ place }) =>
    `On the map, open the marker of ${place} and save the place. It is further east.`,
  style:
    '#map { position: relative; width: 400px; height: 240px; overflow: hidden; background: #dfe } #pane { position: absolute; inset: 0 } .marker { position: absolute; width: 26px; height: 26px }',
  app: ({ body, h, two, shuffle }) => {
    const places = shuffle(['Harbour', 'Museum', 'Tower', 'Market'])
    const [place, other] = two(places)
    const saved: string[] = []
    const pane = h('div', { id: 'pane' })
    const popup = h('div', { role: 'dialog', 'aria-label': 'Place', hidden: true })
    let left = 0
    for (const [n, name] of places.entries())
      pane.append(
        h('button', {
          class: 'marker',
          'aria-label': name,
          text: '📍',
          style: `left: ${480 + n * 60}px; top: ${40 + n * 40}px`,
          onclick: () => {
            popup.replaceChildren(
              h('h2', { text: name }),
              h('button', { text: 'Save place', onclick: () => saved.push(name) }),
            )
            popup.hidden = false
          },
        }),
      )
    const map = h(
      'div',
      {
        id: 'map',
        role: 'application',
        'aria-label': 'Map of the town',
        tabindex: 0,
        onpointerdown: (down: PointerEvent) => {
          if (down.target instanceof HTMLButtonElement) return
          const start = left
          const move = ({ clientX }: PointerEvent): void => {
            left = start + clientX - down.clientX
            pane.style.transform = `translateX(${left}px)`
          }
          addEventListener('pointermove', move)
          addEventListener('pointerup', () => removeEventListener('pointermove', move), {
            once: true,
          })
        },
      },
      pane,
    )
    body.append(map, popup)
    return { goal: { place }, decoy: { place: other }, isReached: () => saved.join() === place }
  },
  solve: async ({ look, act, click, attempt }, { place }) => {
    const page = await look()
    const map = page.ref('application', 'Map of the town')
    await act('drag', { ref: map, x: -190, y: 0 })
    await act('drag', { ref: map, x: -150, y: 0 })
    const marker = (await attempt('find', { role: 'button', name: place })).ref('button', place)
    const popup = await click(marker)
    await click(popup.ref('button', 'Save place'))
  },
})
