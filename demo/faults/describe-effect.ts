import type { JournalRow } from '../journal/read-journal.ts'
import type { FaultNote } from './fault-note.ts'

interface Call {
  readonly name: string
  starts: number
  status: string
}

/** Describes what a fault left of the newest run: the rows from before it, and the calls that ran. */
export function describeEffect(
  { name, at }: FaultNote,
  rows: readonly JournalRow[],
  titles: ReadonlyMap<string, string>,
): string {
  const run = rows.slice(
    Math.max(
      0,
      rows.findLastIndex(({ type }) => type === 'run-started'),
    ),
  )
  const keptCount = run.filter((row) => row.at <= at).length
  const retries = run.filter(({ type }) => type === 'attempt-failed').length
  const calls = callsIn(run)
  const ranCalls = calls.filter(({ starts }) => starts > 0)
  const refusedCalls = calls.filter(({ status }) => status === 'invalid')
  return [
    keptCount > 0 ? `${name}: kept ${pluralize(keptCount, 'row')}.` : `${name}.`,
    ...(retries > 0 ? [`Read again: ${pluralize(retries, 'answer')}.`] : []),
    ranCalls.length > 0 ? `Ran: ${listCalls(ranCalls, titles)}.` : 'No tool ran.',
    ...(refusedCalls.length > 0 ? [`Refused: ${listCalls(refusedCalls, titles)}.`] : []),
  ].join(' ')
}

/** Calls of a run, with how often each was started. */
function callsIn(rows: readonly JournalRow[]): readonly Call[] {
  const calls = new Map<string, Call>()
  for (const row of rows) {
    for (const part of row.message?.parts ?? []) {
      if (part.type === 'tool-call' && part.toolCallId !== undefined)
        calls.set(part.toolCallId, { name: part.toolName ?? '', starts: 0, status: '' })
    }
    const id = row.path?.at(-1) ?? ''
    if (row.type === 'call-proposed')
      calls.set(id, { name: row.toolName ?? '', starts: 0, status: '' })
    const call = calls.get(id)
    if (call && row.type === 'call-started') call.starts += 1
    if (call && row.type === 'call-settled') call.status = row.status ?? ''
  }
  return [...calls.values()]
}

/** Names each tool with the number of its calls, and of starts beyond the first. */
function listCalls(calls: readonly Call[], titles: ReadonlyMap<string, string>): string {
  const names = [...new Set(calls.map(({ name }) => name))]
  return names
    .map((name) => {
      const callsOfTool = calls.filter((call) => call.name === name)
      const restarts = callsOfTool.reduce((sum, { starts }) => sum + Math.max(0, starts - 1), 0)
      const times = callsOfTool.length === 1 ? 'once' : `${callsOfTool.length} times`
      const restartNote = restarts === 0 ? '' : `, ${restarts} started again with the same key`
      return `${titles.get(name) ?? name} ${times}${restartNote}`
    })
    .join('; ')
}

function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
