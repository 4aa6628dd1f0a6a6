import { cached } from '../../conversation/cached.ts'
import { sentMessage, isRequest } from '../../conversation/requests.ts'
import type { Message, ToolOutput, ToolResultPart, UserMessage } from '../../protocol/message.ts'
import type { ContextRow, MessageNode, ConversationState } from '../../protocol/state.ts'
import { contextLayout, type Compacted, contextOn } from '../../conversation/context.ts'
import type { CompactionChoice, CompactionPolicy } from '../../protocol/compaction.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { messageTokens, partTokens } from './token-counts.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import { isRecord } from '../../lib/shape.ts'
import type { CallPath } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'

/** Note that replaces a cleared result in requests. */
const CLEARED = '[This result was removed to save room. Call the tool again if you need it.]'
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
  return sentMessages(path, rows).map(({ message }) => message)
}

interface Sent {
  /** Index in the path. -1: a summary. */
  readonly index: number
  readonly message: Message
}

function sentMessages(path: readonly MessageNode[], rows: readonly ContextRow[]): readonly Sent[] {
  const { cleared, segments } = contextLayout(path, rows)
  const sent: Sent[] = []
  const send = (index: number): void => {
    const node = path[index]
    if (node) sent.push({ index, message: withoutCleared(sentMessage(node), cleared) })
  }
  let at = 0
  for (const { start, end, row, hasSummary, instructions } of segments) {
    for (; at < start; at++) send(at)
    if (hasSummary)
      sent.push({ index: -1, message: summaryMessage(row, path.slice(start, end + 1)) })
    for (const index of instructions) send(index)
    at = end + 1
  }
  for (; at < path.length; at++) send(at)
  return sent
}

/** Tokens that are sent for each message, by its index in the path. 0 for a message that is left out. */
export function sentSizes(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
  sizeOf: (message: Message) => number,
): readonly number[] {
  const sizes = path.map(() => 0)
  for (const { index, message } of sentMessages(path, rows))
    if (index >= 0) sizes[index] = sizeOf(message)
  return sizes
}

export interface SentResult {
  /** Index of the result's message in the path. */
  readonly index: number
  readonly part: ToolResultPart
}

/** Clearable results that requests still contain in full, oldest first. */
function sentResults(
  path: readonly MessageNode[],
  rows: readonly ContextRow[],
): readonly SentResult[] {
  const { cleared } = contextLayout(path, rows)
  return sentMessages(path, rows).flatMap(({ index, message }) =>
    message.role === 'tool'
      ? message.parts
          .filter((part) => !cleared.has(part.toolCallId) && isClearable(part.output))
          .map((part) => ({ index, part }))
      : [],
  )
}

/** Message that replaces a range. Lists undone calls: a call may have been undone after it was summarized. */
function summaryMessage({ summary }: Compacted, nodes: readonly MessageNode[]): UserMessage {
  const text = summary === '' ? DROPPED : `${SUMMARY}\n${summary}`
  const undone = nodes.flatMap(({ calls }) =>
    calls.flatMap(({ undo, toolName }) => (undo === 'done' ? toolName : [])),
  )
  return syntheticMessage(undone.length > 0 ? `${text}\nUndone: ${undone.join(', ')}.` : text)
}

/** A message from the loop to the model. */
export function syntheticMessage(text: string): UserMessage {
  return { role: 'user', synthetic: true, parts: [{ type: 'text', text }] }
}

function withoutCleared(message: Message, cleared: ReadonlySet<string>): Message {
  if (message.role !== 'tool') return message
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

/** Number of newest result messages to keep: the model still works with them. */
const MESSAGES_KEPT = 2

/** Results that a note may replace. */
interface Clearing {
  readonly paths: readonly CallPath[]
  /** Estimated tokens. */
  readonly freed: number
}

/** Results that a newer result of the same tool has made out of date (`ToolAnnotations.supersedes`). */
function staleResults(state: ConversationState, superseding: ReadonlySet<string>): Clearing {
  if (superseding.size === 0) return NOTHING
  const results = sentResults(state.path, contextOn(state)).filter(({ part }) =>
    superseding.has(part.toolName),
  )
  const inputs = new Map(
    state.path.flatMap(({ calls }) => calls.map(({ toolCallId, input }) => [toolCallId, input])),
  )
  const newest = new Map<string, { readonly index: number; readonly input: JsonValue }[]>()
  const stale = results.toReversed().filter(({ index, part: { toolName, toolCallId } }) => {
    const input = inputs.get(toolCallId) ?? null
    const newer = newest.get(toolName) ?? []
    // Results in the same message never supersede each other: the model asked for all of them at once.
    if (newer.some((other) => other.index > index && covers(other.input, input))) return true
    newest.set(toolName, [...newer, { index, input }])
    return false
  })
  return clearing(stale.toReversed())
}

/** Results outside the newest messages, and results that are out of date. */
function oldResults(state: ConversationState, superseding: ReadonlySet<string>): Clearing {
  const { path } = state
  const indexes = path.flatMap(({ message }, index) => (message.role === 'tool' ? [index] : []))
  const firstKept = indexes.at(-MESSAGES_KEPT) ?? 0
  const stale = new Set(staleResults(state, superseding).paths.map(([id]) => id))
  return clearing(
    sentResults(path, contextOn(state)).filter(
      ({ index, part }) => index < firstKept || stale.has(part.toolCallId),
    ),
  )
}

/** Leaves out results that are no longer than the note that would replace them. */
function clearing(results: readonly SentResult[]): Clearing {
  let freed = 0
  const paths: CallPath[] = []
  for (const { part } of results) {
    const saved = tokensSaved(part)
    if (saved <= 0) continue
    freed += saved
    paths.push([part.toolCallId])
  }
  return paths.length > 0 ? { paths, freed } : NOTHING
}

const NOTHING: Clearing = { paths: [], freed: 0 }

/** Tokens that a note in place of the result saves. Cached: every step looks for stale results. */
const tokensSaved = cached(
  (part: ToolResultPart) => partTokens(part) - partTokens(withoutResult(part)),
)

/** Whether the newer result includes the older one: the older call had every parameter of the newer, equal in value. */
function covers(newer: JsonValue, older: JsonValue): boolean {
  if (!isRecord(newer) || !isRecord(older)) return sameJson(newer, older)
  return Object.entries(newer).every(
    ([name, value]) => Object.hasOwn(older, name) && sameJson(value, older[name]),
  )
}

/** Sizes of a request, in estimated tokens. */
export interface Room {
  /** Limit for the whole request. */
  readonly total: number
  /** Size of everything but the messages. */
  readonly fixed: number
  /** Minimum that a change must free to be worth breaking the server's prompt cache. */
  readonly minFreed: number
}

export type PlannedCompaction = Extract<
  FactDraft,
  { readonly type: 'results-cleared' | 'compacted' }
>
type Compacting = Extract<PlannedCompaction, { readonly type: 'compacted' }>

/** Size of the next request, with the context rows applied. */
export function sentTokens(state: ConversationState, fixed: number): number {
  return fixed + totalTokens(applyContext(state.path, contextOn(state)))
}

/** Size of the next request once these facts are stored. */
export function tokensWith(
  state: ConversationState,
  fixed: number,
  facts: readonly PlannedCompaction[],
): number {
  const rows = facts.map((fact) => ({ ...fact, seq: state.seq, at: 0 }))
  return fixed + totalTokens(applyContext(state.path, [...contextOn(state), ...rows]))
}

function totalTokens(messages: readonly Message[]): number {
  return messages.reduce((tokens, message) => tokens + messageTokens(message), 0)
}

/** Fraction of the token limit that may be used after messages are dropped. The remainder lasts for several steps. */
const TARGET_FILL = 0.5

/**
 * Drops the oldest messages before the newest request. If that frees too little, drops the oldest steps after it. The
 * request itself stays. The kept part begins with a request or a step, so that every result keeps its call. Null: too
 * little would be freed.
 */
function dropOldest(state: ConversationState, room: Room): Compacting | null {
  const { path } = state
  const { request, newestStep, lastStart } = landmarks(path)
  const ranges = [
    { from: 0, before: Math.min(request, lastStart) },
    { from: request + 1, before: newestStep },
  ]
  for (const range of ranges) {
    const fact = dropWithin(state, room, range)
    if (fact) return fact
  }
  return null
}

/** Indexes in the path. -1: none. */
export function landmarks(path: readonly MessageNode[]): {
  /** The newest request. */
  readonly request: number
  /** The model's newest message. */
  readonly newestStep: number
  /**
   * Last index where the kept messages may begin. A message sent during the newest step comes after the step's results,
   * so the step is kept, too.
   */
  readonly lastStart: number
} {
  const request = path.findLastIndex(isRequest)
  const newestStep = path.findLastIndex(({ message }) => message.role === 'assistant')
  const runId = path[request]?.runId
  // Imported messages have no run.
  const isSentDuring = runId != null && runId === path[newestStep]?.runId
  const lastStart = isSentDuring ? newestStep : Math.max(request, newestStep)
  return { request, newestStep, lastStart }
}

/** Whether the kept messages may begin with this one. */
function isStart(node: MessageNode | undefined): boolean {
  return node !== undefined && (isRequest(node) || node.message.role === 'assistant')
}

/** A range of messages in the path. `before` is the index after its last message. */
interface Span {
  readonly from: number
  readonly before: number
}

/** Returns null if the span is empty. */
function compactSpan(
  { path }: ConversationState,
  { from, before }: Span,
  summary: string,
): Compacting | null {
  const [first, last] = [path[from], path[before - 1]]
  if (!first || !last || before <= from) return null
  return {
    type: 'compacted',
    after: path.at(-1)?.id ?? null,
    from: first.id,
    to: last.id,
    keptFrom: path[before]?.id ?? null,
    summary,
  }
}

function dropWithin(
  state: ConversationState,
  room: Room,
  { from, before }: Span,
): Compacting | null {
  const { path } = state
  const ends: number[] = []
  for (let at = from + 1; at <= before; at++) if (isStart(path[at])) ends.push(at)
  const facts = ends.flatMap((end) => compactSpan(state, { from, before: end }, '') ?? [])
  // Binary search for the smallest range that frees enough. If none does, finds the largest range.
  let [low, high] = [0, facts.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const fact = facts[middle]
    if (fact && tokensWith(state, room.fixed, [fact]) <= room.total * TARGET_FILL) high = middle
    else low = middle + 1
  }
  const fact = facts[low]
  if (fact === undefined) return null
  const freed = sentTokens(state, room.fixed) - tokensWith(state, room.fixed, [fact])
  return freed >= room.minFreed ? fact : null
}

type CheckedChoice =
  | { readonly facts: readonly PlannedCompaction[] }
  /** Why the choice can't be applied. */
  | { readonly fault: string }

type Clear = Extract<CompactionChoice, { readonly clearUpTo: string }>
type Summarize = Extract<CompactionChoice, { readonly summary: string }>

/**
 * Turns an app's choice into facts. Refuses a choice that frees too little or separates a call from its result. Pure.
 */
export function checkChoice(
  state: ConversationState,
  choice: CompactionChoice,
  room: Pick<Room, 'fixed' | 'total'>,
): CheckedChoice {
  const checked = 'clearUpTo' in choice ? clearUpTo(state, choice) : summarizeUpTo(state, choice)
  if ('fault' in checked) return checked
  const tokens = tokensWith(state, room.fixed, checked.facts)
  return tokens < room.total
    ? checked
    : { fault: `it leaves about ${Math.round((100 * tokens) / room.total)}% of the budget.` }
}

function clearUpTo(state: ConversationState, { clearUpTo: id, except = [] }: Clear): CheckedChoice {
  const { path } = state
  const end = path.findIndex((node) => node.id === id)
  if (end < 0) return unknownId('clearUpTo', id)
  if (end > landmarks(path).newestStep)
    return { fault: 'clearUpTo has results that the model has not read yet.' }
  const results = sentResults(path, contextOn(state)).filter(({ index }) => index <= end)
  const unknown = except.find(
    (callId) =>
      !path.some(
        ({ calls, message }) =>
          calls.some(({ toolCallId }) => toolCallId === callId) ||
          (message.role === 'tool' &&
            message.parts.some(({ toolCallId }) => toolCallId === callId)),
      ),
  )
  if (unknown !== undefined) return { fault: `except has an unknown call, ${unknown}.` }
  const chosen = clearing(results.filter(({ part }) => !except.includes(part.toolCallId)))
  if (chosen.freed <= 0) return { fault: 'there is nothing to be cleared.' }
  return { facts: [clear(state, chosen)] }
}

function summarizeUpTo(state: ConversationState, { summary, firstKept }: Summarize): CheckedChoice {
  const { path } = state
  const end = path.findIndex(({ id }) => id === firstKept)
  if (end < 0) return unknownId('firstKept', firstKept)
  if (!isStart(path[end]))
    return { fault: 'firstKept must be a message of a person or the model, not a result.' }
  const { request, lastStart } = landmarks(path)
  if (end > lastStart) return { fault: 'firstKept is after the newest step.' }
  // The newest request stays, so there are two ranges: messages before it, and messages after it.
  const beforeRequest = compactSpan(state, { from: 0, before: Math.min(end, request) }, summary)
  const afterRequest = compactSpan(
    state,
    { from: request + 1, before: end },
    beforeRequest ? '' : summary,
  )
  const facts = [beforeRequest, afterRequest].filter((fact) => fact !== null)
  return facts.length > 0 ? { facts } : { fault: 'there is nothing before firstKept.' }
}

function unknownId(name: string, id: string): CheckedChoice {
  return { fault: `${name} has an unknown id, ${id}.` }
}

/** Fraction of the token limit that may be used after results are cleared. Above it, messages are dropped instead. */
const TARGET_FILL_OF_RESULTS = 0.7
/** Fraction of the token limit. Stale results of this size are cleared, even if the request still fits. */
const STALE_SHARE = 0.25

export interface Policy {
  readonly policy: CompactionPolicy
  /** Names of the tools whose new results make older results out of date. */
  readonly superseding: ReadonlySet<string>
}

/**
 * Plans how to shorten a request that exceeds its token limit. Null: leaving out anything (more) would free too little.
 * Pure.
 */
export function planCompaction(
  state: ConversationState,
  room: Room,
  { policy, superseding }: Policy,
): PlannedCompaction | null {
  const sent = sentTokens(state, room.fixed)
  // If clearing freed less, messages would have to be dropped soon, which breaks the prompt cache once more.
  const freesEnough = ({ freed }: Clearing): boolean =>
    sent - freed <= room.total * TARGET_FILL_OF_RESULTS
  const stale = staleResults(state, superseding)
  if (stale.freed >= room.minFreed && freesEnough(stale)) return clear(state, stale)
  if (policy === 'auto' || policy === 'clear-results') {
    const old = oldResults(state, superseding)
    if (old.freed >= room.minFreed && (policy === 'clear-results' || freesEnough(old)))
      return clear(state, old)
  }
  return policy === 'clear-results' ? null : dropOldest(state, room)
}

/** Clears stale results, but only many at once: each clearing breaks the prompt cache. Pure. */
export function planStale(
  state: ConversationState,
  total: number,
  superseding: ReadonlySet<string>,
): PlannedCompaction | null {
  const stale = staleResults(state, superseding)
  return stale.freed >= total * STALE_SHARE ? clear(state, stale) : null
}

function clear({ path }: ConversationState, { paths }: Clearing): PlannedCompaction {
  return { type: 'results-cleared', after: path.at(-1)?.id ?? null, paths }
}
