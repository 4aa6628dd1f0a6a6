import type { CallDelta, ToolCallAssembler } from '../core/assemble-tool-calls.ts'
import { asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { callDelta } from './call-delta.ts'

/** What tells an answer that begins anew from one that goes on. */
export interface AnswerStart {
  readonly calls: ToolCallAssembler
  finishWord: string | undefined
  /** The answer's id; steady once two chunks in a row had it. (Some servers make one up for each chunk.) */
  id: string | undefined
  hasSteadyId: boolean
  /** A steady id was left for another one after a call. */
  hasOtherId: boolean
  /** Words came after that. */
  saysMore: boolean
  /** The `index` of the choice that is read; others are alternatives. */
  choice: unknown
  hasDelta: boolean
  /** Roles so far; those of servers that send them with calls, or often, say nothing. */
  roles: number
  /** A delta came without a role: another role begins an answer. */
  hasRoleless: boolean
  /** The one role that the server sends came again after a call. */
  isReopened: boolean
  /** A finish reason came with or after output. */
  isFinished: boolean
}

export function startAnswer(calls: ToolCallAssembler): AnswerStart {
  return {
    calls,
    finishWord: undefined,
    id: undefined,
    hasSteadyId: false,
    hasOtherId: false,
    saysMore: false,
    choice: undefined,
    hasDelta: false,
    roles: 0,
    hasRoleless: false,
    isReopened: false,
    isFinished: false,
  }
}

/**
 * Whether a chunk begins another completion: one with another id after the end of this one, or with a
 * fresh start. Neither another id says it alone (some servers make one up for each chunk) nor a finish
 * reason: there are servers that send it early (Open WebUI).
 */
export function beginsAnother(
  state: AnswerStart,
  id: string | undefined,
  choices: readonly unknown[],
): boolean {
  const isNew = id !== undefined && id !== state.id && state.hasSteadyId
  if (isNew && state.finishWord !== undefined) return true
  const mayStart = (isNew && state.hasDelta) || state.isFinished
  if (mayStart && ownDeltas(state, choices).some((own) => isFreshStart(state, own))) return true
  if (id !== undefined) state.hasSteadyId = id === state.id
  state.id = id ?? state.id
  if (state.calls.count() === 0 || state.finishWord !== undefined) return false
  state.hasOtherId ||= isNew
  return ownDeltas(state, choices).some((own) => isAnew(state, own))
}

interface OwnDelta {
  readonly delta: JsonRecord
  /** No finish reason comes with it. */
  readonly begins: boolean
}

/** The deltas of the choice that is read. */
function ownDeltas(state: AnswerStart, choices: readonly unknown[]): OwnDelta[] {
  return choices.flatMap((item) => {
    const choice = asRecord(item)
    const isOwn = choice?.['index'] === undefined || choice['index'] === state.choice
    const delta = isOwn && asRecord(choice?.['delta'])
    return delta ? [{ delta, begins: choice?.['finish_reason'] == null }] : []
  })
}

/** Line breaks alone may stand between calls. */
const wordFields = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const

/** It opens the message anew, or its first call under an id that is not known. */
function isFreshStart(state: AnswerStart, { delta, begins }: OwnDelta): boolean {
  if (state.hasRoleless && begins && asText(delta['role']) !== undefined) return true
  if (state.calls.count() === 0) return false
  return callsOf(delta).some(
    ({ id, index, name }) =>
      name !== undefined && !index && (id === undefined || !state.calls.has(id)),
  )
}

/**
 * After a call: words under another id that has become steady; or words, or the same call, after the role
 * came again which the server otherwise sends once. Further calls are told by their numbers.
 */
function isAnew(state: AnswerStart, { delta, begins }: OwnDelta): boolean {
  if (begins && delta['role'] && state.roles === 1 && state.hasRoleless) {
    state.isReopened = true
    state.calls.reopen()
  }
  if (!state.isReopened && !state.hasOtherId) return false
  const calls = callsOf(delta)
  const says = wordFields.some((field) => asText(delta[field])?.trim())
  // An answer that goes on in the middle of a call is the same one, whatever its id.
  if (calls.some(({ name }) => name === undefined)) state.hasOtherId = state.saysMore = false
  state.saysMore ||= state.hasOtherId && says
  const isKnown = calls.some(({ id = '', name }) => name !== undefined && state.calls.has(id))
  return (state.isReopened && (says || isKnown)) || (state.saysMore && state.hasSteadyId)
}

/** Takes note of a delta's role. True: it does nothing but open the message once more. */
export function noteRole(state: AnswerStart, delta: JsonRecord): boolean {
  const holds = hasContent(delta)
  if (!delta['role']) state.hasRoleless ||= holds
  else {
    state.roles += callsOf(delta).length > 0 ? 2 : 1
    return state.hasRoleless && !holds
  }
  return false
}

function callsOf(delta: JsonRecord): readonly CallDelta[] {
  const calls = delta['tool_calls']
  const entries = asRecord(calls) ? [calls] : asList(calls)
  return entries.map((entry) => callDelta(asRecord(entry) ?? {}))
}

/** Something but a role. */
export function hasContent(delta: JsonRecord): boolean {
  for (const name in delta) if (name !== 'role' && delta[name]) return true
  return false
}
