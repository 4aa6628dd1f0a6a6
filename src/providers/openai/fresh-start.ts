import type { CallDelta, ToolCallAssembler } from '../core/assemble-tool-calls.ts'
import { asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { callDelta } from './call-delta.ts'

/** State that tells a restarted answer from a continued one. */
export interface AnswerStart {
  readonly calls: ToolCallAssembler
  finishWord: string | undefined
  /** Id of the answer; steady once two chunks in a row had it. (Some servers make one up for each chunk.) */
  id: string | undefined
  hasSteadyId: boolean
  /** A steady id changed after a call. */
  hasOtherId: boolean
  /** Text came under the other id. */
  saysMore: boolean
  /** `index` of the choice being read; others are alternatives. */
  choice: unknown
  hasDelta: boolean
  /** Number of roles so far. Roles that a server sends with calls, or often, prove nothing. */
  roles: number
  /** A delta came without a role, so another role begins an answer. */
  hasRoleless: boolean
  /** The role, which this server sends once, came again after a call. */
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
 * Whether a chunk begins another completion: with another id after the end of this one, or with a fresh start.
 * Another id alone proves nothing (some servers make one up for each chunk). Nor does a finish reason: Open WebUI
 * sends it early.
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
  /** The chunk has no finish reason. */
  readonly begins: boolean
}

/** Returns the deltas of the choice being read. */
function ownDeltas(state: AnswerStart, choices: readonly unknown[]): OwnDelta[] {
  return choices.flatMap((item) => {
    const choice = asRecord(item)
    const isOwn = choice?.['index'] === undefined || choice['index'] === state.choice
    const delta = isOwn && asRecord(choice?.['delta'])
    return delta ? [{ delta, begins: choice?.['finish_reason'] == null }] : []
  })
}

/** Fields with text. Line breaks alone may come between calls. */
const wordFields = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const

/** Whether the delta opens the message again, or opens its first call under an unknown id. */
function isFreshStart(state: AnswerStart, { delta, begins }: OwnDelta): boolean {
  if (state.hasRoleless && begins && asText(delta['role']) !== undefined) return true
  if (state.calls.count() === 0) return false
  return callsOf(delta).some(
    ({ id, index, name }) =>
      name !== undefined && !index && (id === undefined || !state.calls.has(id)),
  )
}

/**
 * Whether another answer follows a call: with text under another, steady id; or with text, or the same call, after
 * the role came again. Further calls are recognized by their numbers.
 */
function isAnew(state: AnswerStart, { delta, begins }: OwnDelta): boolean {
  if (begins && delta['role'] && state.roles === 1 && state.hasRoleless) {
    state.isReopened = true
    state.calls.reopen()
  }
  if (!state.isReopened && !state.hasOtherId) return false
  const calls = callsOf(delta)
  const says = wordFields.some((field) => asText(delta[field])?.trim())
  // A delta that continues a call belongs to the same answer, whatever its id.
  if (calls.some(({ name }) => name === undefined)) state.hasOtherId = state.saysMore = false
  state.saysMore ||= state.hasOtherId && says
  const isKnown = calls.some(({ id = '', name }) => name !== undefined && state.calls.has(id))
  return (state.isReopened && (says || isKnown)) || (state.saysMore && state.hasSteadyId)
}

/** Records a delta's role. Returns true if the delta only opens the message once more. */
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

/** Whether a delta holds anything but a role. */
export function hasContent(delta: JsonRecord): boolean {
  for (const name in delta) if (name !== 'role' && delta[name]) return true
  return false
}
