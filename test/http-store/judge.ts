import type { Row } from '../../src/protocol/fact.ts'
import type { Acknowledged } from './unreliable-link.ts'

export interface Violation {
  readonly what: string
  readonly detail: string
}

export interface Evidence {
  /** All rows of the conversation in the database. */
  readonly rows: readonly Row[]
  /** Ids of the calls that ran, once for each time. */
  readonly effects: readonly string[]
  /** Appends that a server has answered. */
  readonly acknowledged: readonly Acknowledged[]
  /** Messages whose runs were completed, as the devices were told. */
  readonly completed: readonly string[]
}

/** Compares the rows of a conversation with what the devices did and what the servers promised. */
export function judge(evidence: Evidence): Violation[] {
  return [
    ...judgePlaces(evidence),
    ...judgeAppends(evidence),
    ...judgeRuns(evidence),
    ...judgeCalls(evidence),
    ...judgeMessages(evidence),
  ]
}

/** The rows that were there before must be the beginning of those that are there now. */
export function judgeHistory(before: readonly Row[], now: readonly Row[]): Violation[] {
  const changed = before.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(now[at]))
  // No device gives a title any more.
  const renamed = now.slice(before.length).find(({ type }) => type === 'renamed')
  return [
    ...(changed < 0 ? [] : [{ what: 'rewound', detail: `row ${changed + 1} is another one` }]),
    ...(renamed ? [{ what: 'late title', detail: `row ${renamed.seq}` }] : []),
  ]
}

function judgePlaces({ rows }: Evidence): Violation[] {
  const gap = rows.findIndex(({ seq }, at) => seq !== at + 1)
  return gap < 0 ? [] : [{ what: 'gap', detail: `seq ${rows[gap]?.seq} in place ${gap + 1}` }]
}

/** The rows of an append are in one place, the one that was answered. A row of the same content is a copy. */
function judgeAppends({ rows, acknowledged }: Evidence): Violation[] {
  const found: Violation[] = []
  const firsts = new Map<string, number>()
  const contents = new Map<string, number>()
  for (const [at, row] of rows.entries()) {
    const { seq, appendId, ...content } = row
    const detail = `${row.type} ${seq}`
    if (rows[at - 1]?.appendId !== appendId) {
      if (firsts.has(appendId))
        found.push({
          what: 'append applied twice',
          detail: `${detail}, first ${firsts.get(appendId)}`,
        })
      else firsts.set(appendId, seq)
    }
    // A rename has no id, so a second copy writes its title once more.
    if (row.type === 'renamed') continue
    const text = JSON.stringify(content)
    const copy = contents.get(text)
    if (copy === undefined) contents.set(text, seq)
    else found.push({ what: 'duplicate row', detail: `${detail}, first ${copy}` })
  }
  for (const { appendId, first } of acknowledged)
    if (firsts.get(appendId) !== first)
      found.push({ what: 'append is not where it was answered', detail: `${appendId} at ${first}` })
  return found
}

function judgeRuns({ rows }: Evidence): Violation[] {
  const found: Violation[] = []
  const open = new Set<string>()
  const known = new Set<string>()
  for (const { type, runId, seq } of rows) {
    if (runId === null) continue
    const detail = `${type} ${seq} of ${runId}`
    if (type === 'run-started') {
      if (known.has(runId)) found.push({ what: 'run started twice', detail })
      if (open.size > 0) found.push({ what: 'run started within another', detail })
      known.add(runId)
      open.add(runId)
    } else if (type === 'run-ended') {
      if (!open.delete(runId)) found.push({ what: 'run ended twice', detail })
    } else if (STEPS.has(type) && !open.has(runId))
      found.push({ what: 'row behind the end of its run', detail })
  }
  for (const runId of open) found.push({ what: 'run does not end', detail: runId })
  return found
}

const STEPS = new Set(['step-started', 'model-output', 'call-started', 'call-settled'])

function judgeCalls({ rows, effects }: Evidence): Violation[] {
  const found: Violation[] = []
  const idsOf = (type: Row['type']): string[] =>
    rows.flatMap((row) => (row.type === type && 'path' in row ? (row.path.at(-1) ?? '') : []))
  const [started, settled] = [idsOf('call-started'), idsOf('call-settled')]
  for (const id of new Set(effects)) {
    const times = effects.filter((each) => each === id).length
    if (times > 1) found.push({ what: 'ran twice', detail: `${id}: ${times} times` })
    if (!started.includes(id)) found.push({ what: 'ran without a row', detail: id })
  }
  for (const id of new Set(started)) {
    const ends = settled.filter((each) => each === id).length
    if (ends !== 1) found.push({ what: 'call without one result', detail: `${id} has ${ends}` })
  }
  for (const row of rows) {
    if (row.type !== 'call-settled' || row.status !== 'succeeded') continue
    const id = row.path.at(-1) ?? ''
    if (!effects.includes(id)) found.push({ what: 'succeeded, but did not happen', detail: id })
  }
  return found
}

function judgeMessages({ rows, completed }: Evidence): Violation[] {
  const counts = new Map<string, number>()
  for (const row of rows) {
    if (row.type !== 'run-started') continue
    for (const part of row.message?.parts ?? [])
      if (part.type === 'text') counts.set(part.text, (counts.get(part.text) ?? 0) + 1)
  }
  return [
    ...[...counts].flatMap(([text, count]) =>
      count > 1 ? [{ what: 'message twice', detail: `${text}: ${count} times` }] : [],
    ),
    ...completed.flatMap((text) =>
      counts.has(text) ? [] : [{ what: 'message lost', detail: text }],
    ),
  ]
}
