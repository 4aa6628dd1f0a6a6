import { callParts } from '../conversation/propose-call.ts'
import { listOf } from '../lib/shape.ts'
import { OffstageError } from '../protocol/error.ts'
import type { Identified } from '../protocol/fact.ts'
import type { Message, ToolCallPart, ToolMessage, ToolResultPart } from '../protocol/message.ts'
import type { FactDraft } from './store/fact-draft.ts'
import { isMessage, MOST_MESSAGES } from './store/fact-table.ts'

export interface Ids {
  readonly newId: (prefix: string) => string
  /** Whether the conversation had a call with this id before its history was cleared. */
  readonly isUsed: (toolCallId: string) => boolean
}

const isHistory = listOf(isMessage, MOST_MESSAGES)

/** Checks the messages that the page has read. Throws `invalid-history` if they are invalid. */
export function checkHistory(given: unknown): readonly Message[] {
  if (isHistory(given) && isPaired(given as readonly Message[])) return given as readonly Message[]
  throw new OffstageError('invalid-history', 'The history is no list of messages of Offstage.')
}

/** Whether each call has an input or error and a unique id, and each result belongs to the newest answer's calls. */
function isPaired(messages: readonly Message[]): boolean {
  const used = new Set<string>()
  let open = new Set<string>()
  return messages.every((message) => {
    if (message.role === 'tool')
      return message.parts.every(({ toolCallId }) => open.delete(toolCallId))
    const calls = callParts(message)
    if (message.role === 'assistant') open = new Set(calls.map(({ toolCallId }) => toolCallId))
    return calls.every(({ toolCallId, input, error }) => {
      const isNew = !used.has(toolCallId)
      used.add(toolCallId)
      return isNew && (input !== undefined || error !== undefined)
    })
  })
}

/**
 * Imported messages as they are stored, each with a unique id. One tool message directly after the assistant's holds
 * the results of its calls, in the order of the calls. Calls may have no result yet.
 */
export function placeHistory(
  messages: readonly Message[],
  ids: Ids,
): readonly Identified<Message>[] {
  const results = resultsOf(messages)
  const used = new Set<string>()
  const idOf = ({ id }: Message): string => {
    const own = id !== undefined && id !== '' && !used.has(id) ? id : ids.newId('msg_')
    used.add(own)
    return own
  }
  return messages.flatMap((message, index): Identified<Message>[] => {
    if (message.role === 'tool') return []
    const placed = { ...message, id: idOf(message) }
    if (placed.role !== 'assistant') return [placed]
    const calls = callParts(placed)
    if (calls.length === 0) return [placed]
    const next = messages[index + 1]
    const own = new Map(calls.map((call) => [call, ownCall(call, ids)]))
    const tools: Identified<ToolMessage> = {
      role: 'tool',
      ...(next?.role === 'tool' && next.foreign && { foreign: next.foreign }),
      id: next?.role === 'tool' ? idOf(next) : ids.newId('msg_'),
      parts: calls.flatMap((call) => {
        const result = results.get(call.toolCallId)
        return result ? ofCall(result, own.get(call) ?? call) : []
      }),
    }
    const parts = placed.parts.map((part) =>
      part.type === 'tool-call' ? (own.get(part) ?? part) : part,
    )
    return [{ ...placed, parts }, tools]
  })
}

/** The call, with a new id if an earlier call of the conversation had the same. */
function ownCall(call: ToolCallPart, { newId, isUsed }: Ids): ToolCallPart {
  const { toolCallId } = call
  return isUsed(toolCallId)
    ? { providerCallId: toolCallId, ...call, toolCallId: newId('call_') }
    : call
}

function ofCall(
  result: ToolResultPart,
  { toolCallId, providerCallId }: ToolCallPart,
): ToolResultPart {
  if (result.toolCallId === toolCallId) return result
  return { ...result, toolCallId, ...(providerCallId !== undefined && { providerCallId }) }
}

function resultsOf(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  return new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.parts.map((part) => [part.toolCallId, part] as const) : [],
    ),
  )
}

/** Whether a call in these messages has no output yet. */
export function awaitsOutput(messages: readonly Message[]): boolean {
  const results = resultsOf(messages)
  return messages
    .flatMap(callParts)
    .some(({ toolCallId, error }) => !error && !results.has(toolCallId))
}

/** Imported messages belong to no run. Their author is unknown, so they taint all branches of the conversation. */
export function importFacts(messages: readonly Identified<Message>[]): readonly FactDraft[] {
  if (messages.length === 0) return []
  return [
    { type: 'messages-imported', runId: null, messages },
    { type: 'untrusted-taken-in', runId: null, after: null, origin: 'an imported history' },
  ]
}
