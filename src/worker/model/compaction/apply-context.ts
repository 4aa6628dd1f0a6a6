import { sentMessage } from '../../../conversation/sent-message.ts'
import type {
  Message,
  ToolMessage,
  ToolOutput,
  ToolResultPart,
  UserMessage,
} from '../../../protocol/message.ts'
import type { ContextRow, MessageNode } from '../../../protocol/state.ts'
import {
  contextLayout,
  type Compacted,
  type Segment,
} from '../../../conversation/context-layout.ts'

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
  const { cleared, segments } = contextLayout(path, rows)
  if (cleared.size === 0 && segments.length === 0) return path.map(sentMessage)
  const sent: Message[] = []
  const sendUpTo = (from: number, before: number): void => {
    for (const node of path.slice(from, before)) sent.push(asSent(node, cleared))
  }
  let at = 0
  for (const { start, end, row, hasSummary, instructions } of segments) {
    sendUpTo(at, start)
    if (hasSummary) sent.push(summaryMessage(row))
    for (const place of instructions) sendUpTo(place, place + 1)
    at = end + 1
  }
  sendUpTo(at, path.length)
  return sent
}

function asSent(node: MessageNode, cleared: ReadonlySet<string>): Message {
  const message = sentMessage(node)
  return message.role === 'tool' ? withoutCleared(message, cleared) : message
}

/** The places of the messages that are sent themselves. */
function sentPlaces(length: number, segments: readonly Segment[]): readonly number[] {
  const places: number[] = []
  let at = 0
  for (const { start, end, instructions } of segments) {
    for (; at < start; at++) places.push(at)
    places.push(...instructions)
    at = end + 1
  }
  for (; at < length; at++) places.push(at)
  return places
}

/** Tokens for what is sent of each message of the path itself, by its place: 0 for one that is left out. */
export function sentSizes(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
  sizeOf: (message: Message) => number,
): readonly number[] {
  const { cleared, segments } = contextLayout(path, rows)
  const sizes = path.map(() => 0)
  for (const place of sentPlaces(path.length, segments)) {
    const node = path[place]
    if (node) sizes[place] = sizeOf(asSent(node, cleared))
  }
  return sizes
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
  const { cleared, segments } = contextLayout(path, rows)
  return sentPlaces(path.length, segments).flatMap((place) => {
    const message = path[place]?.message
    if (message?.role !== 'tool') return []
    return message.parts
      .filter((part) => !cleared.has(part.toolCallId) && isClearable(part.output))
      .map((part) => ({ place, part }))
  })
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
