import { task } from './support/task.ts'

/** The drawing can't be read. The task is reached by the path of the pointer. */
export const canvasLine = task<{ readonly length: number }>({
  name: 'canvas: draw a line',
  ask: ({ length }) =>
    `Draw a line of ${length} pixels from the middle of the drawing to the right.`,
  app: ({ body, h, int }) => {
    const length = int(8, 14) * 10
    const lines: { x: number; y: number }[] = []
    const canvas = h('canvas', {
      width: 400,
      height: 200,
      role: 'img',
      'aria-label': 'Drawing',
      tabindex: 0,
    })
    canvas.onpointerdown = (down) => {
      const up = ({ clientX, clientY }: PointerEvent): void => {
        canvas.removeEventListener('pointerup', up)
        lines.push({ x: clientX - down.clientX, y: clientY - down.clientY })
        const pen = canvas.getContext('2d')
        pen?.moveTo(down.offsetX, down.offsetY)
        pen?.lineTo(down.offsetX + clientX - down.clientX, down.offsetY)
        pen?.stroke()
        status.textContent = `${lines.length} lines`
      }
      canvas.addEventListener('pointerup', up)
    }
    const status = h('p', { role: 'status' })
    body.append(canvas, status)
    const isReached = (): boolean =>
      lines.length === 1 &&
      Math.abs((lines[0]?.x ?? 0) - length) < 2 &&
      Math.abs(lines[0]?.y ?? 9) < 2
    return { goal: { length }, decoy: { length: length - 10 }, isReached }
  },
  solve: async ({ look, act }, { length }) => {
    await act('drag', { ref: (await look()).ref('img', 'Drawing'), x: length, y: 0 })
  },
})
