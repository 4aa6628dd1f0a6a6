import type {
  Message,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from '../../../protocol/message.ts'
import type { ContextRow, MessageNode } from '../../../protocol/state.ts'

type Compacted = Extract<ContextRow, { readonly type: 'compacted' }>

interface Range {
  readonly start: number
  /** Inclusive. */
  readonly end: number
  readonly row: Compacted
}

/** What is sent in place of a result that was cleared. */
export const CLEARED = '[This result was removed to save room. Call the tool again if you need it.]'
const SUMMARY = 'Earlier messages were removed to save room. Summary of them:'
const DROPPED = 'Earlier messages were removed to save room.'

/**
 * The messages of a branch as its context rows have them sent: ranges as their summaries, cleared results
 * as a note. A pure function of both, so that what is sent changes with a new row only.
 */
export function applyContext(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): readonly Message[] {
  const cleared = clearedCalls(rows)
  const ranges = rangesOf(path, rows)
  if (cleared.size === 0 && ranges.length === 0) return path.map(({ message }) => message)
  const rangeAt = new Map<number, Range>()
  // Where ranges overlap, the newest counts, and comes last.
  for (const range of ranges) {
    for (let at = range.start; at <= range.end; at++) rangeAt.set(at, range)
  }
  const told = new Set<Range>()
  return path.flatMap(({ message }, at): Message[] => {
    const range = rangeAt.get(at)
    if (!range) return [message.role === 'tool' ? withoutCleared(message, cleared) : message]
    const summary = told.has(range) ? [] : [summaryMessage(range.row)]
    told.add(range)
    // Instructions hold as they were given.
    return message.role === 'system' ? [...summary, message] : summary
  })
}

/** Calls nested in others have no message of their own. */
function clearedCalls(rows: readonly ContextRow[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const row of rows) {
    if (row.type !== 'results-cleared') continue
    for (const [id, ...nested] of row.paths)
      if (id !== undefined && nested.length === 0) ids.add(id)
  }
  return ids
}

/** What is to be left out, oldest first, without ranges that a newer one covers: so their sum stays flat. */
function rangesOf(path: readonly MessageNode[], rows: readonly ContextRow[]): readonly Range[] {
  const compacted = rows.filter((row): row is Compacted => row.type === 'compacted')
  if (compacted.length === 0) return []
  const places = new Map(path.map(({ id }, at) => [id, at]))
  const ranges: Range[] = []
  for (const row of compacted.toReversed()) {
    const range = rangeOf(row, path, places)
    if (range && !ranges.some((newer) => newer.start <= range.start && range.end <= newer.end)) {
      ranges.push(range)
    }
  }
  return ranges.toReversed()
}

/** Shrunk where it would part a call from its result, which no model server accepts. */
function rangeOf(
  row: Compacted,
  path: readonly MessageNode[],
  places: ReadonlyMap<string, number>,
): Range | null {
  let start = places.get(row.from)
  let end = places.get(row.to)
  if (start === undefined || end === undefined) return null
  while (isResult(path[start])) start++
  while (isResult(path[end + 1])) end--
  return start <= end ? { start, end, row } : null
}

function isResult(node: MessageNode | undefined): boolean {
  return node?.message.role === 'tool'
}

function summaryMessage({ summary }: Compacted): UserMessage {
  const text = summary === '' ? DROPPED : `${SUMMARY}\n${summary}`
  return { role: 'user', synthetic: true, parts: [{ type: 'text', text }] }
}

function withoutCleared(message: ToolMessage, cleared: ReadonlySet<string>): ToolMessage {
  if (!message.parts.some(({ toolCallId }) => cleared.has(toolCallId))) return message
  return {
    ...message,
    parts: message.parts.map((part) => (cleared.has(part.toolCallId) ? withoutResult(part) : part)),
  }
}

function withoutResult(part: ToolResultPart): ToolResultPart {
  return isClearable(part.output) ? { ...part, output: { type: 'text', value: CLEARED } } : part
}

/** An error or a refusal stays: it is short, and says what was not done. */
export function isClearable(output: ToolOutput): boolean {
  switch (output.type) {
    case 'text':
    case 'json':
    case 'content':
      return true
    case 'error':
    case 'denied':
      return false
    default:
      return output satisfies never
  }
}
