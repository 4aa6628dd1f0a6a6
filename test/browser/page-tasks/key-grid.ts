import { task } from './support/task.ts'

interface Goal {
  readonly seat: string
}

/** A grid with one tab stop, in which arrows move and Space takes a seat; the pointer does nothing. */
export const keyGrid = task<Goal>({
  name: 'grid: by the keyboard only',
  ask: ({ seat }) => `Take seat ${seat}.`,
  app: ({ body, h, int }) => {
    const letters = ['A', 'B', 'C', 'D']
    const at = { row: int(1, 3), column: int(1, 4) }
    const seat = `${letters[at.row]}${at.column + 1}`
    const taken = new Set<string>()
    let row = 0
    let column = 0
    const cells = letters.map((letter) =>
      [1, 2, 3, 4, 5].map((n) =>
        h('td', {
          role: 'gridcell',
          tabindex: -1,
          'aria-selected': 'false',
          text: `${letter}${n}`,
        }),
      ),
    )
    const grid = h(
      'table',
      {
        role: 'grid',
        'aria-label': 'Seats',
        onkeydown: (event: KeyboardEvent) => {
          const [down = 0, right = 0] =
            { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[
              event.key
            ] ?? []
          const name = `${letters[row]}${column + 1}`
          if (event.key === ' ') {
            if (!taken.delete(name)) taken.add(name)
            cells[row]?.[column]?.setAttribute('aria-selected', String(taken.has(name)))
          } else if (down === 0 && right === 0) return
          event.preventDefault()
          row = Math.min(3, Math.max(0, row + down))
          column = Math.min(4, Math.max(0, column + right))
          for (const cell of cells.flat()) cell.tabIndex = -1
          const cell = cells[row]?.[column]
          if (cell) cell.tabIndex = 0
          cell?.focus()
        },
      },
      ...cells.map((line) => h('tr', { role: 'row' }, ...line)),
    )
    const start = cells[0]?.[0]
    if (start) start.tabIndex = 0
    body.append(grid, h('p', { text: 'Arrow keys move, Space takes a seat.' }))
    const decoy = { seat: `${letters[at.row]}1` }
    return { goal: { seat }, decoy, isReached: () => [...taken].join() === seat }
  },
  solve: async ({ look, act, press }, { seat }) => {
    const first = (await look()).ref('gridcell', 'A1')
    await act('press_key', { key: 'ArrowDown', ref: first, times: seat.charCodeAt(0) - 65 })
    const right = Number(seat[1]) - 1
    if (right > 0) await act('press_key', { key: 'ArrowRight', times: right })
    await press(' ')
  },
})
