import { contextOn } from '../../../conversation/context.ts'
import { sameJson } from '../../../lib/same-json.ts'
import { isRecord } from '../../../lib/shape.ts'
import type { CallPath } from '../../../protocol/fact.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import type { ToolMessage, ToolResultPart } from '../../../protocol/message.ts'
import type { ConversationState, MessageNode } from '../../../protocol/state.ts'
import { CLEARED, sentResults, type SentResult } from './apply-context.ts'
import { messageTokens } from './request-size.ts'

/** Number of newest result messages to keep: the model still works with them. */
const MESSAGES_KEPT = 2

/** Results that a note may replace. */
export interface Clearing {
  readonly paths: readonly CallPath[]
  /** Estimated tokens. */
  readonly freed: number
}

/** Results that a newer result of the same tool has made out of date (`ToolAnnotations.supersedes`). */
export function staleResults(state: ConversationState, superseding: ReadonlySet<string>): Clearing {
  if (superseding.size === 0) return NOTHING
  const results = sentResults(state.path, contextOn(state)).filter(({ part }) =>
    superseding.has(part.toolName),
  )
  const inputs = inputsOf(
    state.path,
    new Set(results.map(({ part: { toolCallId } }) => toolCallId)),
  )
  const newest = new Map<string, { readonly place: number; readonly input: JsonValue }[]>()
  const stale = results.toReversed().filter(({ place, part: { toolName, toolCallId } }) => {
    const input = inputs.get(toolCallId) ?? null
    const newer = newest.get(toolName) ?? []
    // Results in the same message never supersede each other: the model asked for all of them at once.
    if (newer.some((other) => other.place > place && covers(other.input, input))) return true
    newest.set(toolName, [...newer, { place, input }])
    return false
  })
  return clearing(stale.toReversed())
}

/** Results outside the newest messages, and results that are out of date. */
export function oldResults(state: ConversationState, superseding: ReadonlySet<string>): Clearing {
  const { path } = state
  const places = path.flatMap(({ message }, place) => (message.role === 'tool' ? [place] : []))
  const kept = places.at(-MESSAGES_KEPT) ?? 0
  const stale = new Set(staleResults(state, superseding).paths.map(([id]) => id))
  return clearing(
    sentResults(path, contextOn(state)).filter(
      ({ place, part }) => place < kept || stale.has(part.toolCallId),
    ),
  )
}

/** Leaves out results that are no longer than the note that would replace them. */
export function clearing(results: readonly SentResult[]): Clearing {
  let freed = 0
  const paths: CallPath[] = []
  for (const { part } of results) {
    const saved = resultSize(part) - NOTE
    if (saved <= 0) continue
    freed += saved
    paths.push([part.toolCallId])
  }
  return paths.length > 0 ? { paths, freed } : NOTHING
}

const NOTHING: Clearing = { paths: [], freed: 0 }

// Parts are immutable, and every step looks for stale ones.
const sizes = new WeakMap<ToolResultPart, number>()

function resultSize(part: ToolResultPart): number {
  const known = sizes.get(part)
  if (known !== undefined) return known
  const size = messageTokens({ role: 'tool', parts: [part] })
  sizes.set(part, size)
  return size
}

const NOTE_MESSAGE: ToolMessage = {
  role: 'tool',
  parts: [
    {
      type: 'tool-result',
      toolCallId: '',
      toolName: '',
      output: { type: 'text', value: CLEARED },
    },
  ],
}
const NOTE = messageTokens(NOTE_MESSAGE)

/** The inputs that these calls ran with, or else those that the model wrote. */
function inputsOf(
  path: readonly MessageNode[],
  ids: ReadonlySet<string>,
): ReadonlyMap<string, JsonValue> {
  const inputs = new Map<string, JsonValue>()
  for (const { message, calls } of path) {
    if (message.role !== 'assistant') continue
    for (const part of message.parts)
      if (part.type === 'tool-call' && part.input !== undefined && ids.has(part.toolCallId))
        inputs.set(part.toolCallId, part.input)
    for (const { toolCallId, input } of calls)
      if (ids.has(toolCallId)) inputs.set(toolCallId, input)
  }
  return inputs
}

/** Whether the newer result includes the older one: the older call had every parameter of the newer, equal in value. */
function covers(newer: JsonValue, older: JsonValue): boolean {
  if (!isRecord(newer) || !isRecord(older)) return sameJson(newer, older)
  return Object.entries(newer).every(
    ([name, value]) => Object.hasOwn(older, name) && sameJson(value, older[name]),
  )
}
