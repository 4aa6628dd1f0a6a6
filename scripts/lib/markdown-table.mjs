/** Rows of cells, the head first, as the formatter writes tables. */
export function markdownTable([head, ...rows]) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column].length)),
  )
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  return [
    line(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...rows.map(line),
  ].join('\n')
}
