interface Trial {
  readonly row: string
  readonly column: string
  readonly violations: readonly unknown[]
}

type Cells = Readonly<
  Record<string, Readonly<Record<string, { readonly trials: number; readonly violated: number }>>>
>

/** How many trials each cell has, and how many of them are bad: as data, and as lines of text. */
export function tableOf(trials: readonly Trial[]): {
  readonly cells: Cells
  readonly lines: string[]
} {
  const columns = unique(trials.map(({ column }) => column))
  const cells: Cells = Object.fromEntries(
    unique(trials.map(({ row }) => row)).map((row) => [
      row,
      Object.fromEntries(
        columns.map((column) => {
          const own = trials.filter((one) => one.row === row && one.column === column)
          const bad = own.filter(({ violations }) => violations.length > 0).length
          return [column, { trials: own.length, violated: bad }]
        }),
      ),
    ]),
  )
  const table = [
    ['', ...columns],
    ...Object.entries(cells).map(([row, own]) => [
      row,
      ...columns.map((column) => {
        const { trials: count = 0, violated = 0 } = own[column] ?? {}
        return violated ? `${count}, ${violated} BAD` : String(count)
      }),
    ]),
  ]
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  const lines = table.map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)).join('  '))
  return { cells, lines }
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
