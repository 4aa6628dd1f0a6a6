/** A number, with or without a currency, percent sign, unit or emphasis marks. */
const NUMBER = /^[^\p{L}\d]{0,4}\d[\d.,'’\s]*\D{0,4}$/u

const pending = new Map<Element, readonly string[]>()

/** Aligns a table's columns in the next frame. `dashes`: cells of the delimiter row, such as `:---:`. */
export function alignColumns(table: Element, dashes: readonly string[]): void {
  if (pending.size === 0) requestAnimationFrame(alignPending)
  pending.set(table, dashes)
}

function alignPending(): void {
  for (const [{ children }, dashes] of pending)
    for (const [at, dash] of dashes.entries()) {
      const cells = [...children].flatMap((row) => row.children[at] ?? [])
      const alignment = alignmentOf(
        dash,
        cells.slice(1).map(({ textContent }) => textContent),
      )
      for (const cell of cells)
        if (alignment) cell.setAttribute('class', alignment)
        else cell.removeAttribute('class')
    }
  pending.clear()
}

/**
 * Returns a column's alignment as a class: the delimiter row decides, then whether all `texts` are numbers. Null for the
 * default, the start of the line. Pure.
 */
export function alignmentOf(dash: string, texts: readonly string[]): string | null {
  if (dash.endsWith(':')) return dash.startsWith(':') ? 'center' : 'end'
  const filled = texts.filter((text) => text !== '')
  const areNumbers = filled.length > 0 && filled.every((text) => NUMBER.test(text))
  return areNumbers && !dash.startsWith(':') ? 'number' : null
}
