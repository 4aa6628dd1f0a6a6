import { task } from './support/task.ts'

/** A thumb that takes the pointer only, with its value as text beside it. */
export const pointerSlider = task<{ readonly volume: number }>({
  name: 'sliders: one that takes the pointer only',
  ask: ({ volume }) => `Set the volume to ${volume}.`,
  style:
    '.track { width: 400px; height: 12px; background: #ccc; position: relative; margin: 40px } .thumb { position: absolute; top: -6px; width: 24px; height: 24px; margin-left: -12px; background: navy; cursor: grab }',
  app: ({ body, h, int }) => {
    const volume = int(6, 19) * 5
    let now = 10
    const shown = h('output', { 'aria-label': 'Volume now' })
    const thumb = h('div', {
      class: 'thumb',
      title: 'Volume',
      onpointerdown: (down: PointerEvent) => {
        const start = now
        const move = ({ clientX }: PointerEvent): void => {
          now = Math.round((start + (clientX - down.clientX) / 4) / 5) * 5
          draw()
        }
        addEventListener('pointermove', move)
        addEventListener('pointerup', () => removeEventListener('pointermove', move), {
          once: true,
        })
      },
    })
    const draw = (): void => {
      now = Math.min(100, Math.max(0, now))
      thumb.style.left = `${now}%`
      shown.textContent = String(now)
    }
    draw()
    body.append(
      h('p', { text: 'The track is 400 pixels long, from 0 to 100.' }),
      h('div', { class: 'track' }, thumb),
      shown,
    )
    return { goal: { volume }, decoy: { volume: volume - 5 }, isReached: () => now === volume }
  },
  solve: async ({ look, act }, { volume }) => {
    const page = await look()
    const thumb = page.lines.find(({ marks }) => marks.includes('[hint="thumb"]'))
    await act('drag', { ref: thumb?.ref ?? '', x: (volume - 10) * 4, y: 0 })
  },
})
