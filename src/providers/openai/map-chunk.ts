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
import { bodyError, streamError } from '../core/provider-error.ts'
import { asCount, asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import type { ModelRequest } from '../provider.ts'
import { createInlineReasoning, type InlineReasoning } from './inline-reasoning.ts'
import { createReasoningFields, type ReasoningFields } from './reasoning.ts'
import { readUsage } from './usage.ts'

/** What is remembered from chunk to chunk of one answer. */
export interface ChatState {
  readonly providerId: string
  readonly calls: ToolCallAssembler
  readonly reasoning: ReasoningFields
  /** Null in ACTION mode, where the text is read elsewhere. */
  readonly inline: InlineReasoning | null
  usage: Usage | undefined
  finishWord: string | undefined
  /** The `index` of the choice that is read; others are alternatives. */
  choice: unknown
  hasChoice: boolean
  hasDelta: boolean
  /** By place of the call: the vendor's own fields, to be sent back with it (Gemini's signatures). */
  readonly extras: JsonObject[]
  /** The last chunk that was none of this format. */
  stray: unknown
}

export function startChat(providerId: string, request: ModelRequest): ChatState {
  return {
    providerId,
    calls: createToolCallAssembler(request.tools),
    reasoning: createReasoningFields(),
    inline: request.toolMode === 'action' ? null : createInlineReasoning(),
    usage: undefined,
    finishWord: undefined,
    choice: undefined,
    hasChoice: false,
    hasDelta: false,
    extras: [],
    stray: undefined,
  }
}

/** One chunk of a Chat Completions stream, or a whole completion. Reads what is there. */
export function mapChatChunk(state: ChatState, chunk: unknown): StreamPart[] {
  const record = asRecord(chunk)
  const usage = record && readUsage(record)
  if (usage) state.usage = { ...state.usage, ...usage }
  const choices = asList(record?.['choices'])
  const error = record?.['error'] || choices.length === 0 ? streamError(chunk) : undefined
  if (error) return [{ type: 'error', error }]
  if (choices.length === 0) {
    if (usage || (record && 'choices' in record)) return []
    state.stray = chunk
    return [{ type: 'raw', data: chunk }]
  }
  const parts: StreamPart[] = []
  for (const choice of choices) readChoice(state, asRecord(choice), parts)
  return parts
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
  if (finish !== undefined && finish !== 'null') state.finishWord = finish
  const delta = asRecord(choice['delta'])
  // A whole message in place of deltas; after deltas it would only repeat them.
  const message = state.hasDelta ? undefined : asRecord(choice['message'])
  state.hasDelta ||= delta !== undefined && hasContent(delta)
  const source = delta && (state.hasDelta || !message) ? delta : message
  if (source) readDelta(state, source, parts)
  else readText(state, choice['text'], parts)
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
  readText(state, delta['content'], parts)
  readText(state, delta['refusal'], parts)
  const calls = delta['tool_calls']
  if (asRecord(calls)) readCall(state, asRecord(calls), parts)
  for (const call of asList(calls)) readCall(state, asRecord(call), parts)
  // The old form counts alone; some servers send each call in both.
  const legacy = calls == null ? asRecord(delta['function_call']) : undefined
  if (legacy) readCall(state, { function: legacy }, parts)
}

function readText(state: ChatState, content: unknown, parts: StreamPart[]): void {
  if (typeof content !== 'string') {
    for (const item of asList(content)) readContentPart(state, item, parts)
    return
  }
  if (content === '') return
  if (!state.inline) parts.push({ type: 'text-delta', delta: content })
  else for (const part of state.inline.push(content)) parts.push(part)
}

/** Mistral streams its thinking as a part of the content: `{ type: 'thinking', thinking: [text parts] }`. */
function readContentPart(state: ChatState, item: unknown, parts: StreamPart[]): void {
  const part = asRecord(item)
  if (!part) return readText(state, asText(item), parts)
  const thinking = part['thinking']
  if (thinking === undefined) return readText(state, part['text'], parts)
  const pieces = typeof thinking === 'string' ? [thinking] : asList(thinking)
  const delta = pieces.map((piece) => asText(piece) ?? asText(asRecord(piece)?.['text']) ?? '')
  if (delta.join('') !== '') parts.push({ type: 'reasoning-delta', delta: delta.join('') })
}

function readCall(state: ChatState, call: JsonRecord | undefined, parts: StreamPart[]): void {
  if (!call) return
  for (const part of state.calls.push(callDelta(call))) parts.push(part)
  const extra = asRecord(call['extra_content'])
  if (extra) state.extras[state.calls.count() - 1] = { extra_content: extra as JsonObject }
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
  const parts: StreamPart[] = state.inline?.end() ?? []
  if (state.usage) parts.push({ type: 'usage', usage: state.usage })
  const { finishWord } = state
  const isProven = done || finishWord !== undefined
  if (isProven && !state.hasChoice)
    return [...parts, { type: 'error', error: noAnswer(state.stray) }]
  const reason = mapFinishReason(finishWord, state.calls.count() > 0)
  parts.push(...state.calls.finish(outputEnd(isProven, reason)))
  if (!isProven) return parts
  if (reason === 'error') return [...parts, { type: 'error', error: FAILED }]
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

const FAILED: ErrorData = {
  code: 'provider-error',
  message: "The provider ended its answer with the finish reason 'error' and no explanation.",
  retryable: true,
}

/** An answer under status 200 without any choice: an error in a form of its own, or nothing. */
function noAnswer(stray: unknown): ErrorData {
  const words = stray === undefined ? 'nothing' : JSON.stringify(stray).slice(0, 300)
  return (
    bodyError(stray) ?? {
      code: 'bad-response',
      message: `The endpoint's answer is no chat completion; it holds ${words}.`,
      retryable: stray === undefined,
    }
  )
}
