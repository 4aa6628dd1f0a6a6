/** A number with its currency, percent sign, unit or marks of emphasis. */
const NUMBER = /^[^\p{L}\d]{0,4}\d[\d.,'’\s]*\D{0,4}$/u

const due = new Map<Element, readonly string[]>()

/** Aligns the columns of a table that grows, once a frame. `dashes`: the cells of the line below its head. */
export function alignColumns(table: Element, dashes: readonly string[]): void {
  if (due.size === 0) requestAnimationFrame(alignDue)
  due.set(table, dashes)
}

function alignDue(): void {
  for (const [{ children }, dashes] of due)
    for (const [at, dash] of dashes.entries()) {
      const cells = [...children].flatMap((row) => row.children[at] ?? [])
      const side = sideOf(
        dash,
        cells.slice(1).map(({ textContent }) => textContent),
      )
      for (const cell of cells)
        if (side) cell.setAttribute('class', side)
        else cell.removeAttribute('class')
    }
  due.clear()
}

/**
 * Where a column is aligned: as its dashes say, else as numbers while its `texts` are nothing but numbers. Null: where a text
 * begins. Pure.
 */
export function sideOf(dash: string, texts: readonly string[]): string | null {
  if (dash.endsWith(':')) return dash.startsWith(':') ? 'center' : 'end'
  const filled = texts.filter((text) => text !== '')
  const areNumbers = filled.length > 0 && filled.every((text) => NUMBER.test(text))
  return areNumbers && !dash.startsWith(':') ? 'number' : null
}
