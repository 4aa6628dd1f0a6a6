import type { ConversationRecord } from '../../protocol/conversation.ts'
import type { ErrorData } from '../../protocol/error.ts'

/** Name in the file's first line. */
export const FILE_NAME = 'offstage-conversations'

/** First line of a conversation. */
export type Beginning = Pick<
  ConversationRecord,
  'conversationId' | 'createdAt' | 'updatedAt' | 'parent'
>

/** Last line of a conversation. */
export interface Ending {
  readonly rows: number
  /** Checksum of the conversation's lines before this one, each with its line feed. */
  readonly crc32: string
  /** Why the conversation is incomplete. */
  readonly fault?: ErrorData
}

/** A line of the file, in JSON. docs/format.md explains each. */
export type FileLine =
  | { readonly offstage: typeof FILE_NAME; readonly version: number; readonly format: number }
  | { readonly conversation: Beginning }
  | { readonly row: object }
  | { readonly end: Ending }
  | { readonly conversations: number }

/** Longer lines are read as damaged. Bytes. */
const LONGEST_LINE = 67_108_864

const LINE_FEED = 10
const RETURN = 13

/**
 * Splits bytes into lines without their ends. Null for a line longer than `longest`. Skips empty lines, and keeps at
 * most one line in memory.
 */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<Uint8Array | null> {
  let parts: Uint8Array[] = []
  let length = 0
  const take = (): Uint8Array | null => {
    const line = length > longest ? null : joined(parts, length)
    parts = []
    length = 0
    return line && line.at(-1) === RETURN ? line.subarray(0, -1) : line
  }
  for await (const bytes of source) {
    for (let from = 0; from < bytes.length;) {
      const found = bytes.indexOf(LINE_FEED, from)
      const to = found < 0 ? bytes.length : found
      length += to - from
      if (length > longest) parts = []
      // A copy: the source may use its buffer again.
      else parts.push(bytes.slice(from, to))
      from = to + 1
      if (found < 0) continue
      const line = take()
      if (line?.length !== 0) yield line
    }
  }
  const last = take()
  if (last?.length !== 0) yield last
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = parts
  if (first && parts.length === 1) return first
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
