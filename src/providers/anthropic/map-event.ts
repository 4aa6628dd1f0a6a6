import type { StreamPart, ToolCallStreamPart, Usage } from '../../protocol/message.ts'
import { asArguments, asPiece } from '../core/parse-tool-input.ts'
import { createToolCallAssembler, type ToolCallAssembler } from '../core/assemble-tool-calls.ts'
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
import { asCount, asList, asRecord, asText, type JsonRecord, parseJson } from '../core/read-json.ts'
import type { ModelRequest } from '../provider.ts'
import type { JsonObject } from '../../protocol/json.ts'

/** State kept between the events of one answer. */
export interface MessagesState {
  readonly providerId: string
  readonly blocks: Block[]
  readonly calls: ToolCallAssembler
  usage: Usage | undefined
  stopReason: string | undefined
  hasMessage: boolean
  messageId: string | undefined
  /** `message_start` was sent again after blocks. A known block sent again then begins a second answer. */
  isRepeated: boolean
  /** Data in an unknown format, collected by `addStray`. */
  stray: unknown
}

export function startMessages(providerId: string, request: ModelRequest): MessagesState {
  return {
    providerId,
    blocks: [],
    calls: createToolCallAssembler(request.tools),
    usage: undefined,
    stopReason: undefined,
    hasMessage: false,
    messageId: undefined,
    isRepeated: false,
    stray: undefined,
  }
}

/**
 * Maps one event of a Messages stream (https://docs.anthropic.com/en/api/messages-streaming), identified by the
 * `type` in its data, or a whole message.
 */
export function mapMessagesEvent(state: MessagesState, event: unknown): StreamPart[] {
  const record = asRecord(event)
  switch (record?.['type']) {
    case 'content_block_delta':
      return readDelta(state, record)
    case 'content_block_start':
      return startBlock(state, asIndex(record), asRecord(record['content_block']))
    case 'message_start':
      return readMessage(state, asRecord(record['message']) ?? {})
    case 'message': {
      const parts = readMessage(state, record)
      // A stop reason in a whole message proves that every block is complete.
      for (const block of state.blocks) block.isStopped = state.stopReason !== undefined
      return parts
    }
    case 'message_delta':
      state.usage = addUsage(state.usage, record['usage'])
      readStop(state, asRecord(record['delta']))
      return []
    case 'message_stop':
      return state.hasMessage ? finish(state, true) : []
    case 'content_block_stop': {
      const block = blockAt(state, asIndex(record))
      if (block) block.isStopped = true
      return []
    }
    case 'ping':
      return []
    default:
      return readUnknown(state, event)
  }
}

/** Ends the answer. A stop reason or an end marker proves that it is complete. */
export function endMessages(
  state: MessagesState,
  { done }: { readonly done: boolean },
): StreamPart[] {
  const isProven = done || state.stopReason !== undefined
  if (!isProven || state.hasMessage) return finish(state, isProven)
  return [{ type: 'error', error: noAnswerError('message', state.stray) }]
}

function readUnknown(state: MessagesState, event: unknown): StreamPart[] {
  const error = streamError(event)
  if (error) return [{ type: 'error', error }]
  state.stray = addStray(state.stray, event)
  return [{ type: 'raw', data: event }]
}

function readMessage(state: MessagesState, message: JsonRecord): StreamPart[] {
  state.hasMessage = true
  const id = asText(message['id'])
  const isAnother = id !== undefined && state.messageId !== undefined && id !== state.messageId
  if (isAnother && state.blocks.length > 0) return startSecondAnswer(state)
  state.messageId = id ?? state.messageId
  state.usage = addUsage(state.usage, message['usage'])
  readStop(state, message)
  // Only a whole message has content here. After deltas, that content would repeat their blocks.
  state.isRepeated = state.blocks.length > 0
  if (state.isRepeated) return []
  return asList(message['content']).flatMap((block, index) =>
    startBlock(state, index, asRecord(block)),
  )
}

/**
 * Handles the start of a second answer. If the first answer is complete, it is finished. Otherwise both are dropped
 * with an error.
 */
function startSecondAnswer(state: MessagesState): StreamPart[] {
  return state.stopReason === undefined ? secondAnswerError() : finish(state, true)
}

function readStop(state: MessagesState, source: JsonRecord | undefined): void {
  const reason = asText(source?.['stop_reason'])
  if (reason === undefined) return
  state.stopReason = pickFinishReason(state.stopReason, reason)
  state.stray = undefined
}

function startBlock(
  state: MessagesState,
  index: number | undefined,
  start: JsonRecord | undefined,
): StreamPart[] {
  if (!start) return []
  state.hasMessage = true
  const isKnown =
    index !== undefined && state.blocks.some((other) => other.index === index && !other.isMade)
  // Duplicate text does no harm; a duplicate call would run twice.
  const isHarmful = state.isRepeated ? isKnown || state.calls.count() > 0 : state.calls.count() > 0
  if ((isKnown || state.isRepeated) && isHarmful) return startSecondAnswer(state)
  const block = newBlock(index, asText(start['type']) ?? 'text', start)
  state.blocks.push(block)
  const signature = asText(start['signature'])
  if (signature !== undefined) block.signature.push(signature)
  if (isCall(block)) return openCall(state, block)
  return [...addText(block, start['text'] ?? start['thinking']), { type: 'raw', data: start }]
}

function openCall(state: MessagesState, block: Block): StreamPart[] {
  const { id, name } = block.start
  return state.calls.push({ id: asText(id), index: keyOf(state, block), name: asText(name) })
}

function readDelta(state: MessagesState, event: JsonRecord): StreamPart[] {
  const delta = asRecord(event['delta'])
  if (!delta) return []
  state.hasMessage = true
  const block = findBlock(state, asIndex(event), delta)
  switch (delta['type']) {
    case 'text_delta':
      return addText(block, delta['text'])
    case 'thinking_delta':
      return addText(block, delta['thinking'])
    case 'input_json_delta':
      return addJson(state, block, delta['partial_json'])
    case 'signature_delta':
      block.signature.push(asText(delta['signature']) ?? '')
      break
    case 'citations_delta':
      cite(block, delta['citation'])
      break
    case 'compaction_delta':
      compact(block, delta)
  }
  return [{ type: 'raw', data: event }]
}

/** Returns the block with this index, or the last one if there is no index. Creates a block that was never started. */
function findBlock(state: MessagesState, index: number | undefined, delta: JsonRecord): Block {
  const existing = blockAt(state, index)
  if (existing) return existing
  const type = typeOfDelta(delta['type'])
  const block: Block = { ...newBlock(index, type, { type }), isMade: true }
  state.blocks.push(block)
  return block
}

function blockAt({ blocks }: MessagesState, index: number | undefined): Block | undefined {
  const last = blocks[blocks.length - 1]
  return index === undefined || last?.index === index
    ? last
    : blocks.findLast((block) => block.index === index)
}

function typeOfDelta(type: unknown): string {
  if (type === 'input_json_delta') return 'tool_use'
  if (type === 'compaction_delta') return 'compaction'
  return type === 'thinking_delta' || type === 'signature_delta' ? 'thinking' : 'text'
}

function addText(block: Block, text: unknown): StreamPart[] {
  const delta = asText(text)
  if (delta === undefined || !isReadable(block)) return []
  block.text.push(delta)
  return [{ type: block.type === 'thinking' ? 'reasoning-delta' : 'text-delta', delta }]
}

function addJson(state: MessagesState, block: Block, piece: unknown): StreamPart[] {
  const args = block.json.length === 0 ? asArguments(piece) : asPiece(piece)
  if (!args) return []
  if (block.json.length === 0 || !isCall(block)) block.json.push(args)
  return isCall(block)
    ? state.calls.push({ index: keyOf(state, block), args })
    : [{ type: 'raw', data: args }]
}

/** Key of a call's deltas: the block's index, or its position if indices are missing. */
function keyOf(state: MessagesState, block: Block): number {
  return block.index ?? 1_000_000 + state.blocks.indexOf(block)
}

function asIndex(event: JsonRecord): number | undefined {
  return asCount(event['index'])
}

/** Stop reasons that pause a turn: for a long-running Anthropic tool, or after a compaction that was told to pause. */
const pauses: ReadonlySet<unknown> = new Set(['pause_turn', 'compaction'])

function finish(state: MessagesState, isProven: boolean): StreamPart[] {
  for (const block of state.blocks) {
    const args = isCall(block) ? startInput(block) : undefined
    if (args !== undefined) state.calls.push({ index: keyOf(state, block), args })
  }
  const { stopReason } = state
  const hasCalls = state.calls.count() > 0
  const isPause = !hasCalls && pauses.has(stopReason)
  const reason = isPause ? 'pause' : mapFinishReason(stopReason, hasCalls)
  const failure = reason === 'error' ? failedError(stopReason) : undefined
  const error = stopReason === undefined ? strayError(state.stray) : failure
  const isEndReported = state.blocks.findLast(isCall)?.isStopped !== false
  const calls = state.calls.finish(outputEnd(stopReason, isProven && !error, isEndReported))
  const parts: StreamPart[] = state.usage ? [{ type: 'usage', usage: state.usage }] : []
  parts.push(...calls)
  if (error) return [...parts, { type: 'error', error }]
  if (!isProven) return parts
  const content = contentToReplay(
    state.blocks,
    calls.filter((part) => part.type === 'tool-call'),
  )
  parts.push({
    type: 'finish',
    finishReason: reason,
    ...(stopReason !== undefined && { rawFinishReason: stopReason }),
    ...(content && { providerMetadata: { [state.providerId]: { content } } }),
  })
  return parts
}

type CountName = Exclude<keyof Usage, 'estimated'>

const fields: readonly (readonly [CountName, string])[] = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cachedInputTokens', 'cache_read_input_tokens'],
  ['cacheWriteTokens', 'cache_creation_input_tokens'],
  ['reasoningTokens', 'thinking_tokens'],
]

/**
 * Merges one event's counts. They are cumulative, so later ones win. A zero after a number is ignored: proxies send
 * it for "unknown".
 */
function addUsage(usage: Usage | undefined, source: unknown): Usage | undefined {
  const reported = asRecord(source)
  if (!reported) return usage
  const record = { ...reported, ...asRecord(reported['output_tokens_details']) }
  const merged: { -readonly [Name in CountName]?: number } = { ...usage }
  for (const [name, field] of fields) {
    const count = sumOfIterations(record, field) ?? asCount(record[field])
    if (count !== undefined && !(count === 0 && merged[name])) merged[name] = count
  }
  return Object.keys(merged).length === 0 ? undefined : merged
}

/**
 * Sums a count over all `iterations` (https://platform.claude.com/docs/en/build-with-claude/compaction). The counts
 * outside `iterations` leave out compactions and advisors.
 */
function sumOfIterations(usage: JsonRecord, field: string): number | undefined {
  const counts = asList(usage['iterations']).flatMap(
    (entry) => asCount(asRecord(entry)?.[field]) ?? [],
  )
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count)
}

/** A content block while it is streamed. */
interface Block {
  readonly index: number | undefined
  readonly type: string
  /** The block as `content_block_start` sent it. */
  readonly start: JsonRecord
  readonly text: string[]
  readonly signature: string[]
  readonly json: string[]
  /** Further fields to send back: a text's citations, a compaction's data. */
  readonly fields: { [name: string]: unknown }
  /** Created for a delta that came before `content_block_start`. */
  readonly isMade?: boolean
  /** `content_block_stop` was received. */
  isStopped: boolean
}

function newBlock(index: number | undefined, type: string, start: JsonRecord): Block {
  const block: Block = {
    index,
    type,
    start,
    text: [],
    signature: [],
    json: [],
    fields: {},
    isStopped: false,
  }
  if (type === 'text') for (const citation of asList(start['citations'])) cite(block, citation)
  return block
}

/** Adds a citation to a text. The API requires web search citations (`encrypted_index`) to be sent back. */
function cite(block: Block, citation: unknown): void {
  const citations = (block.fields['citations'] ??= []) as unknown[]
  citations.push(citation)
}

/** Merges a delta of a compaction; texts are concatenated. */
function compact(block: Block, delta: JsonRecord): void {
  const { fields } = block
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'type' || name === '__proto__') continue
    const before = fields[name]
    if (typeof before !== 'string') fields[name] = value
    else if (typeof value === 'string') fields[name] = before + value
  }
}

/** Whether a block calls one of the page's tools. (Server tools run on the vendor's servers.) */
function isCall(block: Block): boolean {
  return block.type === 'tool_use'
}

/** Whether a block's text is for a person: the reply or the thinking. */
function isReadable(block: Block): boolean {
  return block.type === 'text' || block.type === 'thinking'
}

/** Returns the input sent with the block's start, if no deltas followed. (`{}` announces deltas.) */
function startInput({ start, json }: Block): string | undefined {
  const { input } = start
  const record = asRecord(input)
  const isEmpty = record !== undefined && Object.keys(record).length === 0
  return isEmpty || json.length > 0 ? undefined : asArguments(input)
}

/**
 * Returns the message's content to send back; signed content stays byte for byte. Undefined if the message's text and
 * calls are enough.
 */
function contentToReplay(
  blocks: readonly Block[],
  calls: readonly ToolCallStreamPart[],
): JsonObject[] | undefined {
  const isPlain = blocks.every(
    (block) => isCall(block) || (block.type === 'text' && Object.keys(block.fields).length === 0),
  )
  if (isPlain) return undefined
  const remainingCalls = [...calls]
  return blocks.map((block) =>
    replayBlock(block, isCall(block) ? remainingCalls.shift() : undefined),
  )
}

function replayBlock(block: Block, call: ToolCallStreamPart | undefined): JsonObject {
  const start = block.start as JsonObject
  const text = block.text.join('')
  switch (block.type) {
    case 'text':
      return { type: 'text', text, ...block.fields }
    case 'thinking':
      return { ...start, type: 'thinking', thinking: text, signature: block.signature.join('') }
    case 'tool_use':
      return { ...start, input: call?.input ?? {} }
    default: {
      const input = asRecord(parseJson(block.json.join('')))
      return { ...start, ...block.fields, ...(input && { input: input as JsonObject }) }
    }
  }
}
