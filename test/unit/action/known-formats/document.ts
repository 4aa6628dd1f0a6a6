import { exceptions, fate, verdict } from './verdict.ts'
import type { Row } from './verdict.ts'

const section = /(## Formats that other projects know\n[\s\S]*?)(?=\n## )/
const notes = /(?<=\nNot read, or in part:\n\n)(?:- .*\n)+/

/** The formats in a table, by their first cells. */
export function formatsIn(document: string, table: string): string[] {
  const lines = section.exec(document)?.[1]?.split('\n') ?? []
  const head = lines.findIndex((line) => line.startsWith(`| ${table} `))
  const end = lines.findIndex((line, at) => at > head && !line.startsWith('|'))
  return lines.slice(head + 2, end).map(formatOf)
}

/** The document with the verdicts on these rows: the last cells, and the notes on what isn't read. */
export function withVerdicts(document: string, rows: readonly Row[]): string {
  const byFormat = new Map(rows.map((row) => [row.row, row]))
  return document.replace(section, (text) =>
    text
      .split('\n')
      .map((line) => {
        const row = line.startsWith('|') ? byFormat.get(formatOf(line)) : undefined
        if (!row) return line
        return line.replace(/ ([^|]*) \|$/, (_last, cell: string) => {
          return ` ${verdict(row).padEnd(cell.length)} |`
        })
      })
      .join('\n')
      .replace(notes, () =>
        notesOn(rows)
          .map((note) => `- ${note}\n`)
          .join(''),
      ),
  )
}

function formatOf(line: string): string {
  const [, cell = ''] = line.split(/(?<!\\)\|/)
  return cell.trim().replaceAll('\\|', '|')
}

/** First what isn't read at all, by what becomes of it, then what is read in part. */
function notesOn(rows: readonly Row[]): string[] {
  const unread = new Map<string, string[]>()
  for (const row of rows.filter((each) => verdict(each) === 'no'))
    unread.set(fate(row), [...(unread.get(fate(row)) ?? []), row.row])
  return [
    ...[...unread].map(([what, formats]) => `${what}: ${formats.join(', ')}`),
    ...rows
      .filter((row) => verdict(row) === 'in part')
      .map((row) => `${row.row}: not read: ${exceptions(row)}`),
  ]
}
