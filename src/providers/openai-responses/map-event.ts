import type { ErrorData } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { StreamPart, Usage } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { asArguments, asPiece } from '../core/parse-tool-input.ts'
import {
  addStray,
  pickFinishReason,
  failedError,
  mapFinishReason,
  noAnswerError,
  outputEnd,
  strayError,
} from '../core/finish-reason.ts'
import { secondAnswerError, streamError } from '../core/provider-error.ts'
import {
  asCount,
  asList,
  asObjects,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from '../core/read-json.ts'
import {
  createInlineReasoning,
  type InlineReasoning,
  createProducedFiles,
  type ProducedFiles,
  readUsage,
} from '../openai/answer-fields.ts'
import type { ModelRequest } from '../provider.ts'
import { GAP, partText } from './item-content.ts'
import {
  createArgumentText,
  callParts,
  type OutputEnd,
  type Settlement,
} from '../core/argument-text.ts'
import { newCallId } from '../core/call-defaults.ts'
import { withoutNulls } from '../core/schema/strict-nulls.ts'

/** An item of an answer that is being streamed. */
interface Item {
  /** The `output_index` of the item's events. GitHub Copilot changes ids between events, but never this index. */
  readonly index: number | undefined
  /** The item's latest value: first as opened, then with its complete parts, finally complete. */
  value: JsonRecord
  /** The server reported the item as complete. */
  isDone: boolean
  /** The text shown so far, by part. */
  readonly shown: Map<string, string>
  /** Set once a call has a name. */
  toolCallId?: string
}

/**
 * Finds the item of the same type that shares the most ids with an event. If several match equally, returns the last.
 */
function findItem(
  items: readonly Item[],
  value: JsonRecord,
  index: number | undefined,
): Item | undefined {
  let match: Item | undefined
  let bestScore = isNameless(value, index) ? 0 : 1
  for (const item of items) {
    if (item.value['type'] !== value['type']) continue
    const score =
      Number(isNameless(item.value, item.index) || (index !== undefined && item.index === index)) +
      2 * (Number(isShared(item, value, 'id')) + Number(isShared(item, value, 'call_id')))
    if (score >= bestScore) {
      match = item
      bestScore = score
    }
  }
  return match
}

/** Whether both id and index are missing, as with some servers. */
function isNameless({ id, call_id: callId }: JsonRecord, index: number | undefined): boolean {
  return index === undefined && (asText(id) ?? asText(callId)) === undefined
}

function isShared(item: Item, value: JsonRecord, field: string): boolean {
  return asText(value[field]) !== undefined && item.value[field] === value[field]
}

function openItem(items: Item[], value: JsonRecord, index: number | undefined): Item {
  const item: Item = { index, value, isDone: false, shown: new Map() }
  items.push(item)
  return item
}

/** The state of one answer, from event to event. */
export interface ResponsesState {
  readonly providerId: string
  readonly tools: readonly ToolDefinition[]
  readonly isStrict: boolean
  /** Most output tokens of the answer. */
  readonly limit: number | undefined
  /** Whether the items are stored with the message and sent back to the server. */
  readonly keepsItems: boolean
  readonly items: Item[]
  readonly files: ProducedFiles
  /** Null if other code searches the text for reasoning. */
  readonly inline: InlineReasoning | null
  usage: Usage | undefined
  /** The last message item with text. */
  speaker: Item | undefined
  hasReasoning: boolean
  hasRefusal: boolean
  /** Whether an event of this format has arrived. */
  hasResponse: boolean
  /** The last data in an unknown format. */
  stray: unknown
}

export function startResponses(
  providerId: string,
  request: ModelRequest,
  options: Pick<ResponsesState, 'isStrict' | 'limit'>,
): ResponsesState {
  const isAction = request.toolMode === 'action'
  return {
    providerId,
    tools: request.tools,
    ...options,
    keepsItems: !isAction,
    items: [],
    files: createProducedFiles(),
    inline: isAction || request.textAsWritten ? null : createInlineReasoning(),
    usage: undefined,
    speaker: undefined,
    hasReasoning: false,
    hasRefusal: false,
    hasResponse: false,
    stray: undefined,
  }
}

/**
 * Events with text, by the middle of their name. Each has the item's type, and the item's list that contains the text.
 */
const texts: ReadonlyMap<string, readonly [type: string, list: string]> = new Map([
  ['output_text', ['message', 'content']],
  ['refusal', ['message', 'content']],
  ['reasoning_summary_text', ['reasoning', 'summary']],
  ['reasoning_text', ['reasoning', 'content']],
  ['reasoning', ['reasoning', 'content']],
  ['function_call_arguments', ['function_call', 'arguments']],
])

/**
 * Reads an event of a stream (https://platform.openai.com/docs/api-reference/responses-streaming) or a whole response.
 * Events are read in the order of arrival, because some gateways send a wrong `sequence_number`.
 */
export function mapResponsesEvent(state: ResponsesState, event: unknown): StreamPart[] {
  const record = asRecord(event)
  if (!record) return readUnknown(state, event)
  const type = typeOf(record)
  state.hasResponse ||= type.startsWith('response.')
  const text = texts.get(type.slice(9, type.lastIndexOf('.')))
  if (text) return readText(state, record, text)
  switch (type) {
    case 'response.output_item.added':
      return addItem(state, record)
    case 'response.output_item.done':
      return closeItem(state, record)
    case 'response.content_part.done':
    case 'response.reasoning_summary_part.done':
      return closePart(state, record)
    case 'response.content_part.added':
      state.hasRefusal ||= asRecord(record['part'])?.['type'] === 'refusal'
      return [{ type: 'raw', data: event }]
    case 'response.created':
      return state.items.length > 0 ? secondAnswerError() : []
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
    case 'response.done':
      return readEnd(state, type.slice(9), asRecord(record['response']) ?? record)
    default:
      return type.startsWith('response.') && type !== 'response.error'
        ? [{ type: 'raw', data: event }]
        : readUnknown(state, event)
  }
}

/** Ends the answer. `[DONE]` alone doesn't prove a complete answer. */
export function endResponses(
  state: ResponsesState,
  { done }: { readonly done: boolean },
): StreamPart[] {
  if (!done || state.hasResponse) return finish(state, undefined, strayError(state.stray))
  return [{ type: 'error', error: noAnswerError('response', state.stray) }]
}

/** The event's type. A whole response has none, so its status becomes the type. */
function typeOf({ type, output, status }: JsonRecord): string {
  return asText(type) ?? (Array.isArray(output) ? `response.${asText(status) ?? 'completed'}` : '')
}

function readUnknown(state: ResponsesState, event: unknown): StreamPart[] {
  const error = streamError(event)
  if (error) return [{ type: 'error', error }]
  state.stray = addStray(state.stray, event)
  return [{ type: 'raw', data: event }]
}

function addItem(
  state: ResponsesState,
  { item: value, output_index: index }: JsonRecord,
): StreamPart[] {
  const item = asRecord(value)
  if (!item) return []
  state.hasRefusal ||= refuses(item)
  const existing = findItem(state.items, item, asCount(index))
  const isRepeated =
    existing !== undefined &&
    existing.index === asCount(index) &&
    existing.value['id'] === item['id']
  if (!isRepeated)
    return [
      ...openCall(state, openItem(state.items, item, asCount(index))),
      { type: 'raw', data: item },
    ]
  return existing.isDone || existing.shown.size > 0 ? secondAnswerError() : []
}

function readText(
  state: ResponsesState,
  record: JsonRecord,
  [type, list]: readonly [type: string, list: string],
): StreamPart[] {
  const item = itemOf(state, record, type)
  if (isCall(item)) {
    if (record['delta'] !== undefined)
      return show(state, { item, key: list }, asPiece(record['delta']))
    const args = asArguments(record['arguments']) ?? item.shown.get(list) ?? ''
    item.value = { ...item.value, arguments: args }
    item.isDone = true
    return emitRest(state, { item, key: list }, args)
  }
  const at = asCount(record['summary_index']) ?? asCount(record['content_index']) ?? 0
  const position = { item, key: `${list}${at}` }
  state.hasRefusal ||= 'refusal' in record || record['type'] === 'response.refusal.delta'
  const delta = asText(record['delta'])
  return delta === undefined
    ? emitRest(state, position, partText(record))
    : show(state, position, delta)
}

/** Finds or creates the item of an event: some servers never send `output_item.added`. */
function itemOf({ items }: ResponsesState, record: JsonRecord, type: string): Item {
  const value = { type, id: record['item_id'] }
  const index = asCount(record['output_index'])
  return findItem(items, value, index) ?? openItem(items, value, index)
}

/** Position of a text in an item: part of its content or summary, or a call's arguments. */
interface TextPosition {
  readonly item: Item
  readonly key: string
}

function show(state: ResponsesState, { item, key }: TextPosition, delta: string): StreamPart[] {
  if (delta === '') return []
  const previous = item.shown.get(key)
  item.shown.set(key, (previous ?? '') + delta)
  if (isCall(item)) {
    const { toolCallId } = item
    return toolCallId === undefined || isWrapper(state, item)
      ? [{ type: 'raw', data: delta }]
      : [{ type: 'tool-input-delta', toolCallId, delta }]
  }
  if (item.value['type'] === 'reasoning') {
    const gap = previous === undefined && state.hasReasoning ? GAP : ''
    state.hasReasoning = true
    state.inline?.stopLooking()
    return [{ type: 'reasoning-delta', delta: gap + delta }]
  }
  const text = state.speaker === undefined || state.speaker === item ? delta : GAP + delta
  state.speaker = item
  return state.inline?.push(text) ?? [{ type: 'text-delta', delta: text }]
}

/** If a text's `done` event has more text than its deltas, emits the rest. */
function emitRest(
  state: ResponsesState,
  position: TextPosition,
  text: string | undefined,
): StreamPart[] {
  const previous = position.item.shown.get(position.key) ?? ''
  return text?.startsWith(previous) ? show(state, position, text.slice(previous.length)) : []
}

/** Stores a complete part of an item. Items are built from these parts if a server never sends `output_item.done`. */
function closePart(state: ResponsesState, record: JsonRecord): StreamPart[] {
  const { part: value, content_index: contentIndex, summary_index: index = contentIndex } = record
  const part = asRecord(value)
  if (!part) return []
  const list = index === contentIndex ? 'content' : 'summary'
  const isThought = list === 'summary' || part['type'] === 'reasoning_text'
  const item = itemOf(state, record, isThought ? 'reasoning' : 'message')
  const parts = [...asList(item.value[list])]
  // A huge index would make a list of that length.
  parts[Math.min(asCount(index) ?? Infinity, parts.length)] = part
  item.value = { ...item.value, [list]: parts }
  return [...readParts(state, item, list), { type: 'raw', data: part }]
}

function readParts(state: ResponsesState, item: Item, list: string): StreamPart[] {
  // vLLM continues `content_index` from one item to the next, so parts are matched by their order.
  const keys = [...item.shown.keys()].filter((key) => key.startsWith(list))
  return asList(item.value[list]).flatMap((value, at) => {
    const part = asRecord(value)
    state.hasRefusal ||= part?.['type'] === 'refusal'
    return emitRest(state, { item, key: keys[at] ?? `${list}${at}` }, partText(part))
  })
}

function closeItem(
  state: ResponsesState,
  { item: value, output_index: outputIndex }: JsonRecord,
): StreamPart[] {
  const itemValue = asRecord(value)
  if (!itemValue) return []
  const index = asCount(outputIndex)
  const item = findItem(state.items, itemValue, index) ?? openItem(state.items, itemValue, index)
  item.value = itemValue
  item.isDone = itemValue['status'] !== 'incomplete'
  if (isCall(item)) {
    const parts = openCall(state, item)
    return [
      ...parts,
      ...emitRest(state, { item, key: 'arguments' }, asArguments(itemValue['arguments'])),
    ]
  }
  return [
    ...['summary', 'content'].flatMap((list) => readParts(state, item, list)),
    ...readPicture(state, item),
    { type: 'raw', data: itemValue },
  ]
}

/** Reads a generated picture. The item drops the data, because the message's file stores it. */
function readPicture({ files }: ResponsesState, item: Item): StreamPart[] {
  const { type, result, output_format: format } = item.value
  if (type !== 'image_generation_call' || !asText(result)) return []
  const url = `data:image/${asText(format) ?? 'png'};base64,${asText(result)}`
  const parts = files.readPart({ image_url: url }) ?? []
  if (parts[0]?.type === 'file') item.value = { ...item.value, result: '' }
  return parts
}

/** Reads the last event. Its `output` may be empty although items were streamed, so it only completes or adds items. */
function readEnd(state: ResponsesState, ending: string, response: JsonRecord): StreamPart[] {
  const { usage, output, status, incomplete_details: details } = response
  const outputs = asObjects(output)
  // Fewer calls in the final list than in the stream mean that the answer was streamed twice. SGLang's final list has
  // only an empty text, which doesn't count.
  const calls = outputs.filter(({ type }) => type === 'function_call').length
  const isFilled = calls > 0 || outputs.some(({ content }) => asObjects(content).some(partText))
  if (isFilled && calls < state.items.filter(isCall).length) return secondAnswerError()
  state.hasRefusal ||= outputs.some(refuses)
  const isWhole = state.items.length === 0
  const parts = asList(output).flatMap((value, index) => {
    const existing = findItem(state.items, asRecord(value) ?? {}, index)
    return isWhole || existing?.isDone === false
      ? closeItem(state, { item: value, output_index: existing ? existing.index : index })
      : []
  })
  const counts = asRecord(usage)
  state.usage =
    counts &&
    readUsage({
      usage: {
        ...counts,
        prompt_tokens_details: counts['input_tokens_details'],
        completion_tokens_details: counts['output_tokens_details'],
      },
    })
  const reasons = [
    asRecord(details)?.['reason'],
    status,
    ending,
    state.hasRefusal && 'refusal',
    // llama.cpp reports `completed` even if the limit cut the answer.
    Number(counts?.['output_tokens']) >= (state.limit ?? NaN) && 'length',
  ]
  const finishReason = reasons.flatMap((each) => asText(each) ?? []).reduce(pickFinishReason)
  const isFailed = mapFinishReason(finishReason, false) === 'error' || asRecord(response['error'])
  const error = isFailed ? (streamError(response) ?? failedError(finishReason)) : undefined
  return [...parts, ...finish(state, finishReason, error)]
}

/** Whether a message contains a refusal. */
function refuses({ content }: JsonRecord): boolean {
  return asObjects(content).some(({ type }) => type === 'refusal')
}

/** The last parts. `finishReason`: undefined if the end isn't proven. */
function finish(
  state: ResponsesState,
  finishReason: string | undefined,
  error: ErrorData | undefined,
): StreamPart[] {
  const parts: StreamPart[] = [...(state.inline?.end() ?? [])]
  if (state.usage) parts.push({ type: 'usage', usage: state.usage })
  const end = outputEnd(finishReason, finishReason !== undefined && !error, true)
  const calls = finishCalls(state, end)
  parts.push(...calls)
  if (error) return [...parts, { type: 'error', error }]
  if (finishReason === undefined) return parts
  const items = state.items.map(({ value }) => value as JsonObject)
  // OpenAI refuses reasoning that no item follows.
  const isKept = state.keepsItems && items.length > 0 && items.at(-1)?.['type'] !== 'reasoning'
  parts.push({
    type: 'finish',
    finishReason: mapFinishReason(finishReason, calls.length > 0),
    rawFinishReason: finishReason,
    ...(isKept && { providerMetadata: { [state.providerId]: { items } } }),
  })
  return parts
}

type CallRef = Parameters<typeof callParts>[0]

interface CallContext {
  readonly tools: readonly ToolDefinition[]
  readonly isStrict: boolean
  readonly items: readonly Item[]
}

/** Whether the item calls one of the page's tools. Calls of other types run at the vendor. */
function isCall({ value }: Item): boolean {
  return value['type'] === 'function_call'
}

/** Whether the item wraps several calls, a mistake of OpenAI's models: `{ tool_uses: [ … ] }`. */
function isWrapper({ tools }: Pick<CallContext, 'tools'>, { value }: Item): boolean {
  const name = asText(value['name']) ?? ''
  return /^(?:multi_tool_use\.)?parallel$/.test(name) && !tools.some((tool) => tool.name === name)
}

/** Emits a call's start once the call has a name, followed by the arguments received earlier. */
function openCall(context: Pick<CallContext, 'tools'>, item: Item): StreamPart[] {
  const { value } = item
  const toolName = asText(value['name'])
  if (!isCall(item) || toolName === undefined || item.toolCallId !== undefined) return []
  const toolCallId = asText(value['call_id']) ?? asText(value['id']) ?? newCallId()
  item.toolCallId = toolCallId
  if (isWrapper(context, item)) return []
  const delta = item.shown.get('arguments')
  return [
    { type: 'tool-input-start', toolCallId, toolName },
    ...(delta === undefined ? [] : [{ type: 'tool-input-delta', toolCallId, delta } as const]),
  ]
}

/** All calls. A call has an input only after `output_item.done` or `function_call_arguments.done`. */
function finishCalls(context: CallContext, end: OutputEnd): StreamPart[] {
  const calls = context.items.filter(isCall)
  return calls.flatMap((item, at) => {
    const settlement: Settlement = {
      end: item.isDone ? end : 'cut',
      isLast: at === calls.length - 1,
      isDone: true,
      hasStray: false,
      tools: context.tools,
    }
    return finishCall(context, item, settlement)
  })
}

function finishCall(context: CallContext, item: Item, settlement: Settlement): StreamPart[] {
  const { value, shown } = item
  const args = asArguments(value['arguments']) || (shown.get('arguments') ?? '')
  const toolName = asText(value['name']) ?? ''
  const callId = asText(value['call_id'])
  const { toolCallId = callId ?? newCallId() } = item
  const uses = isWrapper(context, item) ? asList(asRecord(parseJson(args))?.['tool_uses']) : []
  if (uses.length > 0)
    return uses.flatMap((use, at) => {
      const { recipient_name: name, parameters } = asRecord(use) ?? {}
      return partsOf(context, settlement, {
        toolCallId: `${toolCallId}_${at + 1}`,
        toolName: (asText(name) ?? '').replace(/^functions\./, ''),
        args: asArguments(parameters) ?? '',
      })
    })
  const hasProviderId = callId !== undefined && callId !== toolCallId
  const call = { toolCallId, toolName, args }
  return partsOf(context, settlement, hasProviderId ? { ...call, providerCallId: callId } : call)
}

function partsOf(
  { isStrict, tools }: CallContext,
  settlement: Settlement,
  { args, ...ref }: CallRef & { readonly args: string },
): StreamPart[] {
  const text = createArgumentText()
  text.push(args)
  const parts = callParts(ref, text, settlement)
  return isStrict ? parts.map((part) => withoutNulls(part, tools)) : parts
}
