import { sentMessage } from '../../../conversation/sent-message.ts'
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
  const rangeAt = rangesByPlace(path, rows)
  if (cleared.size === 0 && rangeAt.size === 0) return path.map(sentMessage)
  const told = new Set<Range>()
  return path.flatMap((node, at): Message[] => {
    const message = sentMessage(node)
    const range = rangeAt.get(at)
    if (!range) return [message.role === 'tool' ? withoutCleared(message, cleared) : message]
    const summary = told.has(range) ? [] : [summaryMessage(range.row)]
    told.add(range)
    // Instructions hold as they were given.
    return message.role === 'system' ? [...summary, message] : summary
  })
}

/** Tokens for what is sent of each message of the path itself, by its place: 0 for one that is left out. */
export function sentSizes(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
  sizeOf: (message: Message) => number,
): readonly number[] {
  const cleared = clearedCalls(rows)
  const rangeAt = rangesByPlace(path, rows)
  return path.map((node, at) => {
    const message = sentMessage(node)
    if (rangeAt.has(at) && message.role !== 'system') return 0
    return sizeOf(message.role === 'tool' ? withoutCleared(message, cleared) : message)
  })
}

export interface SentResult {
  /** Of its message, in the path. */
  readonly place: number
  readonly part: ToolResultPart
}

/** Results that are sent as they are stored, oldest first, but for those that are never cleared. */
export function sentResults(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): readonly SentResult[] {
  const cleared = clearedCalls(rows)
  const rangeAt = rangesByPlace(path, rows)
  return path.flatMap(({ message }, place) =>
    message.role === 'tool' && !rangeAt.has(place)
      ? message.parts
          .filter((part) => !cleared.has(part.toolCallId) && isClearable(part.output))
          .map((part) => ({ place, part }))
      : [],
  )
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

/** For the places in the path whose messages are left out. */
function rangesByPlace(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): ReadonlyMap<number, Range> {
  const rangeAt = new Map<number, Range>()
  // Where ranges overlap, the newest counts, and comes last.
  for (const range of rangesOf(path, rows)) {
    for (let at = range.start; at <= range.end; at++) rangeAt.set(at, range)
  }
  return rangeAt
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
function isClearable(output: ToolOutput): boolean {
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
