import type { ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Usage } from '../../protocol/message.ts'
import type { StreamPart } from '../../protocol/stream-part.ts'
import {
  createToolCallAssembler,
  type CallDelta,
  type ToolCallAssembler,
} from '../core/assemble-tool-calls.ts'
import { mapFinishReason, outputEnd } from '../core/finish-reason.ts'
import { streamError } from '../core/provider-error.ts'
import { asCount, asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { addStray, noAnswer, strayError } from '../core/stray.ts'
import { secondAnswer } from '../core/transport-error.ts'
import type { ModelRequest } from '../provider.ts'
import { createInlineReasoning, type InlineReasoning } from './inline-reasoning.ts'
import { createReasoningFields, type ReasoningFields } from './reasoning.ts'
import { readUsage } from './usage.ts'

/** What is remembered from chunk to chunk of one answer. */
export interface ChatState {
  readonly providerId: string
  readonly calls: ToolCallAssembler
  readonly reasoning: ReasoningFields
  /** Null where the text is read elsewhere. */
  readonly inline: InlineReasoning | null
  usage: Usage | undefined
  finishWord: string | undefined
  /** The answer's id; steady once two chunks in a row had it. (Some servers make one up for each chunk.) */
  id: string | undefined
  hasSteadyId: boolean
  /** Its last parts were returned. */
  isOver: boolean
  /** The `index` of the choice that is read; others are alternatives. */
  choice: unknown
  hasChoice: boolean
  hasDelta: boolean
  /** A delta came without a role: another role begins an answer. */
  hasRoleless: boolean
  /** A finish reason came with or after output. */
  isFinished: boolean
  /** By place of the call: the vendor's own fields, to be sent back with it (Gemini's signatures). */
  readonly extras: JsonObject[]
  /** What came beside this format. */
  stray: unknown
}

export function startChat(providerId: string, request: ModelRequest): ChatState {
  return {
    providerId,
    calls: createToolCallAssembler(request.tools),
    reasoning: createReasoningFields(),
    inline: request.toolMode === 'action' || request.textAsWritten ? null : createInlineReasoning(),
    usage: undefined,
    finishWord: undefined,
    id: undefined,
    hasSteadyId: false,
    isOver: false,
    choice: undefined,
    hasChoice: false,
    hasDelta: false,
    hasRoleless: false,
    isFinished: false,
    extras: [],
    stray: undefined,
  }
}

/** One chunk of a Chat Completions stream, or a whole completion. Reads what is there. */
export function mapChatChunk(state: ChatState, chunk: unknown): StreamPart[] {
  if (state.isOver) return []
  const record = asRecord(chunk)
  const choices = asList(record?.['choices'])
  if (choices.length > 0 && beginsAnother(state, asText(record?.['id']), choices)) {
    if (state.finishWord !== undefined) return endChat(state, { done: true })
    return secondAnswer()
  }
  const usage = record && readUsage(record)
  if (usage) state.usage = { ...state.usage, ...usage }
  const error = record?.['error'] || choices.length === 0 ? streamError(chunk) : undefined
  if (error) return [{ type: 'error', error }]
  if (choices.length === 0) {
    if (usage || (record && 'choices' in record)) return []
    state.stray = addStray(state.stray, chunk)
    return [{ type: 'raw', data: chunk }]
  }
  const parts: StreamPart[] = []
  for (const choice of choices) readChoice(state, asRecord(choice), parts)
  return parts
}

/**
 * Whether a chunk begins another completion: one with another id after the end of this one, or with a
 * fresh start. Neither another id says it alone (some servers make one up for each chunk) nor a finish
 * reason: there are servers that send it early (Open WebUI).
 */
function beginsAnother(
  state: ChatState,
  id: string | undefined,
  choices: readonly unknown[],
): boolean {
  const isNew = id !== undefined && id !== state.id && state.hasSteadyId
  if (isNew && state.finishWord !== undefined) return true
  if ((isNew && state.hasDelta) || state.isFinished) {
    if (choices.some((choice) => isFreshStart(state, asRecord(choice)))) return true
  }
  if (id === undefined) return false
  state.hasSteadyId = id === state.id
  state.id = id
  return false
}

/** It opens the message anew, or its first call under an id that is not known. */
function isFreshStart(state: ChatState, choice: JsonRecord | undefined): boolean {
  if (choice?.['index'] !== undefined && choice['index'] !== state.choice) return false
  const delta = asRecord(choice?.['delta'])
  if (!delta) return false
  const begins = asText(delta['role']) !== undefined && choice?.['finish_reason'] == null
  if (state.hasRoleless && begins) return true
  if (state.calls.count() === 0) return false
  return asList(delta['tool_calls']).some((entry) => {
    const { id, index, name } = callDelta(asRecord(entry) ?? {})
    return name !== undefined && !index && (id === undefined || !state.calls.has(id))
  })
}

function readChoice(state: ChatState, choice: JsonRecord | undefined, parts: StreamPart[]): void {
  if (!choice) return
  if (!state.hasChoice) state.choice = choice['index']
  else if (choice['index'] !== undefined && choice['index'] !== state.choice) return
  state.hasChoice = true
  const error = choice['error'] ? streamError(choice) : undefined
  if (error) parts.push({ type: 'error', error })
  // Moonshot's place for it.
  const usage = choice['usage'] ? readUsage(choice) : undefined
  if (usage) state.usage = { ...state.usage, ...usage }
  const finish = asText(choice['finish_reason'])
  const isFinish = finish !== undefined && finish !== 'null'
  if (isFinish) state.finishWord = finish
  const delta = asRecord(choice['delta'])
  // A whole message in place of deltas; after deltas it would only repeat them.
  const message = state.hasDelta ? undefined : asRecord(choice['message'])
  const role = delta?.['role']
  const holds = delta !== undefined && hasContent(delta)
  state.hasDelta ||= delta ? holds : finish !== undefined
  const opens = state.hasRoleless && role && !holds
  state.hasRoleless ||= holds && !role
  if (isFinish) {
    state.stray = undefined
    state.isFinished ||=
      state.hasDelta || message !== undefined || asText(choice['text']) !== undefined
  }
  const source = delta && (state.hasDelta || !message) ? delta : message
  if (source) readDelta(state, source, parts)
  else readText(state, choice['text'], parts)
  if (state.calls.count() > 0 && (isFinish || opens)) state.calls.reopen()
}

function hasContent(delta: JsonRecord): boolean {
  for (const name in delta) if (name !== 'role' && delta[name]) return true
  return false
}

function readDelta(state: ChatState, delta: JsonRecord, parts: StreamPart[]): void {
  const reasoning = state.reasoning.read(delta)
  if (reasoning !== '') {
    parts.push({ type: 'reasoning-delta', delta: reasoning })
    state.inline?.stopLooking()
  }
  const details = delta['reasoning_details']
  if (details) parts.push({ type: 'raw', data: details })
  readText(state, delta['content'], parts)
  readText(state, delta['refusal'], parts)
  const calls = delta['tool_calls']
  readCalls(state, asRecord(calls) ? [calls] : asList(calls), parts)
  // The old form counts alone; some servers send each call in both.
  const legacy = calls == null ? asRecord(delta['function_call']) : undefined
  if (legacy) readCalls(state, [{ function: legacy }], parts)
}

function readText(state: ChatState, content: unknown, parts: StreamPart[]): void {
  if (typeof content !== 'string') {
    for (const item of asList(content)) readContentPart(state, item, parts)
    return
  }
  if (content === '') return
  state.reasoning.passText(content)
  if (!state.inline) parts.push({ type: 'text-delta', delta: content })
  else for (const part of state.inline.push(content)) parts.push(part)
}

function readContentPart(state: ChatState, item: unknown, parts: StreamPart[]): void {
  const part = asRecord(item)
  if (!part) return readText(state, asText(item), parts)
  if (part['thinking'] === undefined) return readText(state, part['text'], parts)
  parts.push({ type: 'raw', data: part })
  const delta = state.reasoning.readPart(part)
  if (delta !== '') parts.push({ type: 'reasoning-delta', delta })
}

function readCalls(state: ChatState, calls: readonly unknown[], parts: StreamPart[]): void {
  calls.forEach((item, place) => {
    const call = asRecord(item)
    if (!call) return
    for (const part of state.calls.push({ ...callDelta(call), place })) parts.push(part)
    const extra = asRecord(call['extra_content'])
    if (extra) state.extras[state.calls.count() - 1] = { extra_content: extra as JsonObject }
  })
}

function callDelta(call: JsonRecord): CallDelta {
  const fn = asRecord(call['function']) ?? call
  const { id } = call
  const args = fn['arguments'] ?? fn['parameters']
  return {
    id: typeof id === 'number' ? String(id) : asText(id),
    index: asCount(call['index']),
    name: asText(fn['name'])?.trim() || undefined,
    args: typeof args === 'string' || args == null ? (args ?? undefined) : JSON.stringify(args),
  }
}

/** The answer is over. A finish reason or the end marker is the proof that it is whole. */
export function endChat(state: ChatState, { done }: { readonly done: boolean }): StreamPart[] {
  if (state.isOver) return []
  state.isOver = true
  const parts: StreamPart[] = state.inline?.end() ?? []
  if (state.usage) parts.push({ type: 'usage', usage: state.usage })
  const { finishWord } = state
  const isProven = done || finishWord !== undefined
  if (isProven && !state.hasChoice)
    return [...parts, { type: 'error', error: noAnswer('chat completion', state.stray) }]
  const reason = mapFinishReason(finishWord, state.calls.count() > 0)
  const error =
    (state.isFinished ? undefined : strayError(state.stray)) ??
    (reason === 'error' ? failed(finishWord) : undefined)
  const isSaid = finishWord !== undefined
  parts.push(...state.calls.finish(outputEnd(finishWord, isProven && !error, isSaid)))
  if (error) return [...parts, { type: 'error', error }]
  if (!isProven) return parts
  const metadata = metadataOf(state)
  parts.push({
    type: 'finish',
    finishReason: reason,
    ...(finishWord !== undefined && { rawFinishReason: finishWord }),
    ...(metadata && { providerMetadata: { [state.providerId]: metadata } }),
  })
  return parts
}

/** What is sent back with the message, in the fields in which it was received. */
function metadataOf({ reasoning, extras }: ChatState): JsonObject | undefined {
  const fields = reasoning.metadata()
  if (extras.length === 0) return fields
  return { ...fields, tool_calls: Array.from(extras, (extra) => extra ?? {}) }
}

function failed(word: string | undefined): ErrorData {
  return {
    code: 'provider-error',
    message: `The provider ended its answer with '${word}'.`,
    retryable: true,
  }
}
