import { contextOn } from '../../../conversation/context.ts'
import { sameJson } from '../../../lib/same-json.ts'
import { isRecord } from '../../../lib/shape.ts'
import type { CallPath } from '../../../protocol/fact.ts'
import type { JsonValue } from '../../../protocol/json.ts'
import type { ToolMessage, ToolResultPart } from '../../../protocol/message.ts'
import type { ConversationState, MessageNode } from '../../../protocol/state.ts'
import { CLEARED, sentResults, type SentResult } from './apply-context.ts'
import { messageTokens } from './request-size.ts'

/** The newest messages of results are what the model works with. */
const MESSAGES_KEPT = 2

/** Results for which a note may be sent. */
export interface Clearing {
  readonly paths: readonly CallPath[]
  /** Tokens. */
  readonly freed: number
}

/** What was returned by tools whose newer results have made it out of date (`ToolAnnotations.supersedes`). */
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
    // What was asked for at once is wanted at once.
    if (newer.some((other) => other.place > place && covers(other.input, input))) return true
    newest.set(toolName, [...newer, { place, input }])
    return false
  })
  return clearing(stale.toReversed())
}

/** The results of all but the newest messages, and those that are out of date. */
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

/** Without those that are no longer than their note. */
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

// Parts are never changed, and stale ones are looked for before every step.
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

/** What these calls ran with, else what the model had asked for. */
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

/** Whether a call looks at as much as another one: each of its parameters was one of the other's, with this value. */
function covers(newer: JsonValue, older: JsonValue): boolean {
  if (!isRecord(newer) || !isRecord(older)) return sameJson(newer, older)
  return Object.entries(newer).every(
    ([name, value]) => Object.hasOwn(older, name) && sameJson(value, older[name]),
  )
}
