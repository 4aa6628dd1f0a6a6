import { sentMessage } from '../../../conversation/requests.ts'
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

/** Note that replaces a cleared result in requests. */
export const CLEARED = '[This result was removed to save room. Call the tool again if you need it.]'
const SUMMARY = 'Earlier messages were removed to save room. Summary of them:'
const DROPPED = 'Earlier messages were removed to save room.'

/**
 * Applies a branch's context rows to its messages: ranges are summarized or left out, and a note replaces each cleared
 * result. Pure, so that the sent messages change only when a row is added.
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

/** Places in the path of the messages that are still sent. */
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

/** Tokens that are sent for each message, by its place in the path. 0 for a message that is left out. */
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
  /** Index of its message in the path. */
  readonly place: number
  readonly part: ToolResultPart
}

/** Clearable results that are still sent as they are stored, oldest first. */
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

/** Errors and denials are never cleared: they are short, and say what was not done. */
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
