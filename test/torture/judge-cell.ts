import type { StoredConversation } from '../../src/protocol/conversation.ts'
import type { Row } from '../../src/protocol/fact.ts'
import { TARGET, type Cell, type CellBlow } from './cells.ts'
import type { AskedAbort, CountedEffect } from './world.ts'

export interface CellViolation {
  readonly what:
    | 'ran twice'
    | 'unsafe repeat'
    | 'denied, but ran'
    | 'failed, but happened'
    | 'succeeded, but did not happen'
    | 'safe call not repeated'
    | 'orphan call or result'
    | 'request refused'
    | 'message lost'
    | 'message twice'
    | 'abort lost'
    | 'run is lost'
    | 'run failed'
    | 'run does not end'
    | 'handle stays open'
    | 'views differ'
    | 'next turn fails'
    | 'lock is kept'
    | 'uncaught error'
    | 'state not reached'
    | 'trial broke'
  readonly detail: string
}

/** Tools of which a call must not happen twice, whatever comes. */
const ONCE = new Set(['write', 'destroy', 'book', 'order'])
/** Tools that say of themselves that their call may be run again, or whether it happened: nothing stays unknown. */
const KNOWN = new Set(['put', 'read', 'book'])

export interface Evidence {
  readonly cell: Pick<Cell, 'state' | 'blow' | 'tool'>
  /** Rows of the conversation, and of the child conversations that its calls started. */
  readonly rows: readonly Row[]
  readonly stored: StoredConversation | null
  readonly effects: readonly CountedEffect[]
  readonly complaints: readonly string[]
  /** The model was asked: the run had been accepted. */
  readonly isAccepted: boolean
}

/** Holds what is stored against what the trial's server has counted. */
export function judgeCell(evidence: Evidence): CellViolation[] {
  return [
    ...judgeEffects(evidence),
    ...judgeCalls(evidence),
    ...judgePairs(evidence.stored),
    ...judgeWords(evidence),
    ...judgeEnd(evidence),
    ...evidence.complaints.map((detail) => ({ what: 'request refused' as const, detail })),
  ]
}

function judgeEffects({ effects }: Evidence): CellViolation[] {
  const counts = new Map<string, number>()
  for (const { tool, n } of effects)
    if (ONCE.has(tool)) counts.set(`${tool} ${n}`, (counts.get(`${tool} ${n}`) ?? 0) + 1)
  return [...counts].flatMap(([call, count]) =>
    count > 1 ? { what: 'ran twice' as const, detail: `${call}: ${count} times` } : [],
  )
}

function judgeCalls({ rows, effects, cell }: Evidence): CellViolation[] {
  const calls = new Map<string, { readonly toolName: string; readonly n: string }>()
  for (const row of rows) {
    if (row.type === 'model-output')
      for (const part of row.message.parts)
        if (part.type === 'tool-call')
          calls.set(part.toolCallId, { toolName: part.toolName, n: labelOf(part.input) })
    if (row.type === 'call-proposed')
      calls.set(row.path.at(-1) ?? '', { toolName: row.toolName, n: labelOf(row.input) })
  }
  const found: CellViolation[] = []
  for (const row of rows) {
    if (row.type !== 'call-settled') continue
    const { status, output } = row
    const call = calls.get(row.path.at(-1) ?? '')
    if (!call || call.toolName === 'ask_user' || call.toolName === 'ask_helper') continue
    const times = effects.filter(({ n }) => n === call.n).length
    const detail = `${call.toolName} ${call.n} ${status}: ${JSON.stringify(output)}`
    if (status === 'denied' && times) found.push({ what: 'denied, but ran', detail })
    if ((status === 'failed' || status === 'invalid') && times && call.toolName !== 'arrange')
      found.push({ what: 'failed, but happened', detail })
    if (status === 'succeeded' && !times)
      found.push({ what: 'succeeded, but did not happen', detail })
    if (status === 'interrupted' && KNOWN.has(call.toolName) && cell.state !== 'aborting')
      found.push({ what: 'safe call not repeated', detail })
    if (times > 1 && !['put', 'read'].includes(call.toolName))
      found.push({ what: 'unsafe repeat', detail: `${detail} (${times})` })
  }
  return found
}

/** Behind each message with calls come their results, each once, in their order, and nowhere else. */
function judgePairs(stored: StoredConversation | null): CellViolation[] {
  const found: CellViolation[] = []
  let open = ''
  for (const { role, parts } of stored?.messages ?? []) {
    const ids = parts.flatMap((part) =>
      part.type === 'tool-call' || part.type === 'tool-result' ? part.toolCallId : [],
    )
    if (role === 'tool') {
      if (ids.join() !== open)
        found.push({ what: 'orphan call or result', detail: `[${ids.join()}] answers [${open}]` })
      open = ''
      continue
    }
    if (open) found.push({ what: 'orphan call or result', detail: `[${open}] has no results` })
    open = role === 'assistant' ? ids.join() : ''
  }
  if (open) found.push({ what: 'orphan call or result', detail: `[${open}] has no results` })
  return found
}

function judgeWords({ stored, rows, isAccepted, cell }: Evidence): CellViolation[] {
  const count = (words: string): number =>
    (stored?.messages ?? []).filter(
      ({ role, parts }) =>
        role === 'user' && parts.some((part) => part.type === 'text' && part.text === words),
    ).length
  const found: CellViolation[] = []
  const go = count('Go')
  if (isAccepted && go === 0) found.push({ what: 'message lost', detail: 'Go' })
  if (go > 1) found.push({ what: 'message twice', detail: `Go: ${go} times` })
  if (cell.state !== 'steered') return found
  const also = count('Also')
  // Returned to the person, where the run ended before it was read.
  const returned = rows.some((row) => row.type === 'message-withdrawn' && row.returned)
  if (also === 0 && !returned) found.push({ what: 'message lost', detail: 'Also' })
  if (also + Number(returned) > 1)
    found.push({ what: 'message twice', detail: `Also: ${also} times` })
  return found
}

function judgeEnd({ rows, cell, isAccepted }: Evidence): CellViolation[] {
  const ended = rows.find((row) => row.type === 'run-ended')
  if (!ended) return isAccepted ? [{ what: 'run is lost', detail: 'It has no end.' }] : []
  const { end } = ended
  if (cell.state === 'aborting') {
    return end.outcome === 'failed' ? [failed(end)] : []
  }
  return end.outcome === 'completed' ? [] : [failed(end)]
}

/** Blows that the page lives through, so that it asks the next worker for what the last one was asked for. */
const SURVIVED = new Set<CellBlow>(['worker death', 'freeze', 'dispose'])

/** An abort is stored where it was confirmed, and where the page that asked for it in time is still there. */
export function judgeAbort(
  rows: readonly Row[],
  { abort, blows }: { readonly abort: AskedAbort; readonly blows: readonly CellBlow[] },
): CellViolation[] {
  const end = rows.find((row) => row.type === 'run-ended')?.end
  if (end?.outcome === 'aborted') return []
  const detail = JSON.stringify(end ?? null)
  if (abort.isConfirmed) return [{ what: 'abort lost', detail: `It was confirmed: ${detail}` }]
  const isOnRecord = abort.isInTime && blows.every((blow) => SURVIVED.has(blow))
  return isOnRecord ? [{ what: 'abort lost', detail: `It was asked for: ${detail}` }] : []
}

function failed(end: object): CellViolation {
  return { what: 'run failed', detail: JSON.stringify(end) }
}

function labelOf(input: unknown): string {
  return String((input as { readonly n?: unknown } | null)?.n ?? TARGET)
}
