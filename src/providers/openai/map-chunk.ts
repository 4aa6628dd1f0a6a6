import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { StreamPart, Usage } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import {
  type CallDelta,
  createToolCallAssembler,
  type ToolCallAssembler,
} from '../core/assemble-tool-calls.ts'
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
import { asCount, asList, asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { withoutNulls } from '../core/schema/strict-nulls.ts'
import type { ModelRequest } from '../provider.ts'
import {
  createInlineReasoning,
  type InlineReasoning,
  createProducedFiles,
  type ProducedFiles,
  readUsage,
} from './answer-fields.ts'
import { asArguments } from '../core/parse-tool-input.ts'

/** State that tells a restarted answer from a continued one. */
interface AnswerStart {
  readonly calls: ToolCallAssembler
  finishReason: string | undefined
  /**
   * Id of the answer. An id is steady after two chunks in a row had it. (Some servers make up an id for each chunk.)
   */
  id: string | undefined
  hasSteadyId: boolean
  /** A steady id changed after a call had begun. */
  hasOtherId: boolean
  /** Text was sent under the other id. */
  hasOtherText: boolean
  /** `index` of the choice being read. All others are alternatives. */
  choice: unknown
  hasDelta: boolean
  /** Number of roles so far. Roles that a server sends with calls or repeatedly prove nothing. */
  roles: number
  /** A delta came without a role, so another role begins an answer. */
  hasRoleless: boolean
  /** The server, which sends one role per answer, sent another after a call. */
  isReopened: boolean
  /** A finish reason came with or after output. */
  isFinished: boolean
}

function startAnswer(calls: ToolCallAssembler): AnswerStart {
  return {
    calls,
    finishReason: undefined,
    id: undefined,
    hasSteadyId: false,
    hasOtherId: false,
    hasOtherText: false,
    choice: undefined,
    hasDelta: false,
    roles: 0,
    hasRoleless: false,
    isReopened: false,
    isFinished: false,
  }
}

/**
 * Whether a chunk begins another completion. A new id after the end of this completion shows that, and so does a fresh
 * start. A new id alone proves nothing (some servers make up an id for each chunk). A finish reason alone proves
 * nothing either: Open WebUI sends it early.
 */
function startsSecondAnswer(
  state: AnswerStart,
  id: string | undefined,
  choices: readonly unknown[],
): boolean {
  const isNew = id !== undefined && id !== state.id && state.hasSteadyId
  if (isNew && state.finishReason !== undefined) return true
  const mayStart = (isNew && state.hasDelta) || state.isFinished
  if (mayStart && ownDeltas(state, choices).some((ownDelta) => isFreshStart(state, ownDelta)))
    return true
  if (id !== undefined) state.hasSteadyId = id === state.id
  state.id = id ?? state.id
  if (state.calls.count() === 0 || state.finishReason !== undefined) return false
  state.hasOtherId ||= isNew
  return ownDeltas(state, choices).some((ownDelta) => isSecondAnswer(state, ownDelta))
}

interface OwnDelta {
  readonly delta: JsonRecord
  /** The chunk has no finish reason. */
  readonly isOpen: boolean
}

/** Returns the deltas of the choice being read. */
function ownDeltas(state: AnswerStart, choices: readonly unknown[]): OwnDelta[] {
  return choices.flatMap((item) => {
    const choice = asRecord(item)
    const isOwn = choice?.['index'] === undefined || choice['index'] === state.choice
    const delta = isOwn && asRecord(choice?.['delta'])
    return delta ? [{ delta, isOpen: choice?.['finish_reason'] == null }] : []
  })
}

/** Fields with text. Text of line breaks alone may stand between calls. */
const proseFields = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const

/** Whether the delta opens the message again, or opens a first call whose id is unknown. */
function isFreshStart(state: AnswerStart, { delta, isOpen }: OwnDelta): boolean {
  if (state.hasRoleless && isOpen && asText(delta['role']) !== undefined) return true
  if (state.calls.count() === 0) return false
  return callsOf(delta).some(
    ({ id, index, name }) =>
      name !== undefined && !index && (id === undefined || !state.calls.has(id)),
  )
}

/**
 * Whether another answer follows a call. Signs are text under another, steady id; or text, or the same call, after the
 * role was sent again. Further calls are recognized by their numbers.
 */
function isSecondAnswer(state: AnswerStart, { delta, isOpen }: OwnDelta): boolean {
  if (isOpen && delta['role'] && state.roles === 1 && state.hasRoleless) {
    state.isReopened = true
    state.calls.reopen()
  }
  if (!state.isReopened && !state.hasOtherId) return false
  const calls = callsOf(delta)
  const hasText = proseFields.some((field) => asText(delta[field])?.trim())
  // A delta that continues a call belongs to the same answer, even if its id is new.
  if (calls.some(({ name }) => name === undefined)) state.hasOtherId = state.hasOtherText = false
  state.hasOtherText ||= state.hasOtherId && hasText
  const isKnown = calls.some(({ id = '', name }) => name !== undefined && state.calls.has(id))
  return (state.isReopened && (hasText || isKnown)) || (state.hasOtherText && state.hasSteadyId)
}

/** Records a delta's role. Returns true if the delta only repeats the role that opened the message. */
function recordRole(state: AnswerStart, delta: JsonRecord): boolean {
  const isFilled = hasContent(delta)
  if (!delta['role']) state.hasRoleless ||= isFilled
  else {
    state.roles += callsOf(delta).length > 0 ? 2 : 1
    return state.hasRoleless && !isFilled
  }
  return false
}

function callsOf(delta: JsonRecord): readonly CallDelta[] {
  const calls = delta['tool_calls']
  const entries = asRecord(calls) ? [calls] : asList(calls)
  return entries.map((entry) => callDelta(asRecord(entry) ?? {}))
}

/** Whether a delta holds anything but a role. */
function hasContent(delta: JsonRecord): boolean {
  for (const name in delta) if (name !== 'role' && delta[name]) return true
  return false
}

/** State kept between the chunks of one answer. */
export interface ChatState extends AnswerStart {
  readonly providerId: string
  /** Tools whose calls may have null for absent values. */
  readonly strictTools: readonly ToolDefinition[]
  readonly reasoning: ReasoningFields
  readonly thoughts: MarkedThoughts
  readonly files: ProducedFiles
  /** Null if think tags stay in the text, as in ACTION mode. */
  readonly inline: InlineReasoning | null
  usage: Usage | undefined
  /** The last parts were returned. */
  isOver: boolean
  hasChoice: boolean
  /** The server sends several choices. */
  hasOther: boolean
  /** The model refused, in the separate field for refusals. */
  isRefused: boolean
  /** The choice being read has sent output. */
  hasOutput: boolean
  /** Vendor-specific fields of calls (Gemini's signatures), by position. They are sent back with the calls. */
  readonly extras: JsonObject[]
  /** Data in an unknown format, collected by `addStray`. */
  stray: unknown
}

export function startChat(providerId: string, request: ModelRequest, isStrict = false): ChatState {
  return {
    providerId,
    strictTools: isStrict ? request.tools : [],
    ...startAnswer(createToolCallAssembler(request.tools)),
    reasoning: createReasoningFields(),
    thoughts: createMarkedThoughts(),
    files: createProducedFiles(),
    inline: request.toolMode === 'action' || request.textAsWritten ? null : createInlineReasoning(),
    usage: undefined,
    isOver: false,
    hasChoice: false,
    hasOther: false,
    isRefused: false,
    hasOutput: false,
    extras: [],
    stray: undefined,
  }
}

/** Maps one chunk of a Chat Completions stream, or a whole completion. */
export function mapChatChunk(state: ChatState, chunk: unknown): StreamPart[] {
  if (state.isOver) return []
  const record = asRecord(chunk)
  const choices = asList(record?.['choices'])
  if (choices.length > 0 && startsSecondAnswer(state, asText(record?.['id']), choices)) {
    if (state.finishReason !== undefined) return endChat(state, { done: true })
    return secondAnswerError()
  }
  const usage = record && readUsage(record)
  if (usage) state.usage = { ...state.usage, ...usage }
  // Groq sends its error next to choices.
  const error =
    streamError(record?.['x_groq']) ??
    (record?.['error'] || choices.length === 0 ? streamError(chunk) : undefined)
  if (error) return [{ type: 'error', error }]
  if (choices.length === 0) {
    if (usage || (record && 'choices' in record)) return []
    state.stray = addStray(state.stray, chunk)
    return [{ type: 'raw', data: chunk }]
  }
  const parts: StreamPart[] = []
  for (const [position, item] of choices.entries()) {
    const choice = asRecord(item)
    // If several choices have no index, their position is the index.
    if (choice && takesChoice(state, choice['index'] ?? (position || undefined)))
      readChoice(state, choice, parts)
  }
  return parts
}

function readChoice(state: ChatState, choice: JsonRecord, parts: StreamPart[]): void {
  const delta = asRecord(choice['delta'])
  const source = choice['error'] ? choice : delta?.['error'] ? delta : undefined
  const error = source && streamError(source)
  if (error) parts.push({ type: 'error', error })
  // Moonshot sends usage in the choice.
  const usage = choice['usage'] ? readUsage(choice) : undefined
  if (usage) state.usage = { ...state.usage, ...usage }
  const finish = asText(choice['finish_reason'])
  const isFinish = finish !== undefined && finish !== 'null'
  if (isFinish) state.finishReason = pickFinishReason(state.finishReason, finish)
  // A whole message instead of deltas. After deltas, it would only repeat them.
  const message = state.hasDelta ? undefined : asRecord(choice['message'])
  state.hasDelta ||= delta ? hasContent(delta) : finish !== undefined
  const isReopening = delta && recordRole(state, delta)
  if (isFinish) {
    state.stray = undefined
    state.isFinished ||=
      state.hasDelta || message !== undefined || asText(choice['text']) !== undefined
  }
  const content = delta && (state.hasDelta || !message) ? delta : message
  state.hasOutput ||= content ? hasContent(content) : choice['text'] !== undefined
  if (content) readDelta(state, content, parts)
  else readText(state, choice['text'], parts)
  if (state.calls.count() > 0 && (isFinish || isReopening)) state.calls.reopen()
}

/**
 * Whether to read this choice. Others are alternatives. Until there is output, the choice with the lowest number is
 * preferred.
 */
function takesChoice(state: ChatState, index: unknown): boolean {
  const isFirst = !state.hasOutput && (asCount(index) ?? 0) < (asCount(state.choice) ?? 0)
  const isOwn = index === undefined || index === state.choice
  state.hasOther ||= state.hasChoice && !isOwn
  if (state.hasChoice && !isFirst) return isOwn
  state.hasChoice = true
  state.choice = index
  state.finishReason = undefined
  state.hasDelta = state.isFinished = false
  return true
}

function readDelta(state: ChatState, delta: JsonRecord, parts: StreamPart[]): void {
  const reasoning = state.reasoning.read(delta)
  if (reasoning !== '') {
    parts.push({ type: 'reasoning-delta', delta: reasoning })
    state.inline?.stopLooking()
  }
  const details = delta['reasoning_details']
  if (details) parts.push({ type: 'raw', data: details })
  readContent(state, delta, parts)
  state.isRefused ||= Boolean(delta['refusal'])
  readText(state, delta['refusal'], parts)
  parts.push(...state.files.read(delta))
  const calls = delta['tool_calls']
  readCalls(state, asRecord(calls) ? [calls] : asList(calls), parts)
  // The legacy form is ignored if calls exist in the new form, because some servers send each call in both.
  const legacy = calls == null ? asRecord(delta['function_call']) : undefined
  if (legacy) readCalls(state, [{ function: legacy }], parts)
}

function readContent(state: ChatState, delta: JsonRecord, parts: StreamPart[]): void {
  const { content } = delta
  const pieces = typeof content === 'string' ? state.thoughts.read(delta, content) : null
  if (pieces) readPieces(state, pieces, parts)
  else readText(state, content, parts)
}

function readPieces(state: ChatState, pieces: readonly MarkedPiece[], parts: StreamPart[]): void {
  for (const { isThought, text } of pieces) {
    if (!isThought) readText(state, text, parts)
    else parts.push({ type: 'reasoning-delta', delta: text })
    state.inline?.stopLooking()
  }
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
  state.isRefused ||= part['type'] === 'refusal'
  const files = state.files.readPart(part)
  if (files) return void parts.push(...files)
  if (part['thinking'] === undefined) return readText(state, part['text'] ?? part['refusal'], parts)
  parts.push({ type: 'raw', data: part })
  const delta = state.reasoning.readPart(part)
  if (delta !== '') parts.push({ type: 'reasoning-delta', delta })
}

function readCalls(state: ChatState, calls: readonly unknown[], parts: StreamPart[]): void {
  calls.forEach((item, position) => {
    const call = asRecord(item)
    if (!call) return
    for (const part of state.calls.push({ ...callDelta(call), position })) parts.push(part)
    const extra = asRecord(call['extra_content'])
    if (!extra) return
    parts.push({ type: 'raw', data: extra })
    state.extras[state.calls.count() - 1] = { extra_content: extra as JsonObject }
  })
}

/** Ends the answer. A finish reason or the end marker proves that it is complete. */
export function endChat(state: ChatState, { done }: { readonly done: boolean }): StreamPart[] {
  if (state.isOver) return []
  state.isOver = true
  const parts: StreamPart[] = []
  readPieces(state, state.thoughts.end(), parts)
  parts.push(...(state.inline?.end() ?? []))
  if (state.usage) parts.push({ type: 'usage', usage: state.usage })
  // The end of the stream ends all choices. If there are several, only a choice's own finish reason proves its end.
  const isProven = (done && !state.hasOther) || state.finishReason !== undefined
  const finishReason = isProven && state.isRefused ? 'refusal' : state.finishReason
  if (isProven && !state.hasChoice)
    return [...parts, { type: 'error', error: noAnswerError('chat completion', state.stray) }]
  const reason = mapFinishReason(finishReason, state.calls.count() > 0)
  const error =
    (state.isFinished ? undefined : strayError(state.stray)) ??
    (reason === 'error' ? failedError(finishReason) : undefined)
  const isEndReported = finishReason !== undefined && !state.hasOtherText
  const calls = state.calls.finish(outputEnd(finishReason, isProven && !error, isEndReported))
  parts.push(...calls.map((call) => withoutNulls(call, state.strictTools)))
  if (error) return [...parts, { type: 'error', error }]
  if (!isProven) return parts
  const metadata = metadataOf(state)
  parts.push({
    type: 'finish',
    finishReason: reason,
    ...(finishReason !== undefined && { rawFinishReason: finishReason }),
    ...(metadata && { providerMetadata: { [state.providerId]: metadata } }),
  })
  return parts
}

/** Returns the fields to send back with the message, as they were received. */
function metadataOf({ reasoning, extras }: ChatState): JsonObject | undefined {
  const fields = reasoning.metadata()
  if (extras.length === 0) return fields
  return { ...fields, tool_calls: Array.from(extras, (extra) => extra ?? {}) }
}

/** A piece of the content: thinking or reply. */
interface MarkedPiece {
  readonly isThought: boolean
  readonly text: string
}

/** Reads thoughts that come as content, in deltas marked as thoughts. */
interface MarkedThoughts {
  /**
   * Returns the pieces of a delta's content, without tags. Null before the first thought, when the content is read as
   * usual.
   */
  read(delta: JsonRecord, content: string): readonly MarkedPiece[] | null
  /** Returns text that was held back as the possible start of a tag. */
  end(): readonly MarkedPiece[]
}

const OPEN = '<thought>'
const CLOSE = '</thought>'

/**
 * Reads Gemini's marked thoughts, which have `extra_content: { google: { thought: true } }` next to the content.
 * Thoughts begin with `<thought>`, and the reply after them with `</thought>` (https://github.com/coder/coder,
 * `internal/googleopenai`).
 */
function createMarkedThoughts(): MarkedThoughts {
  let hasThoughts = false
  let isThought = false
  /** Tag that usually starts the next piece. */
  let expectedTag: string | null = null
  let pending = ''

  function flush(): MarkedPiece[] {
    const text = pending
    pending = ''
    return text === '' ? [] : [{ isThought, text }]
  }

  return {
    read(delta, content) {
      const marked = isMarked(delta)
      hasThoughts ||= marked
      if (!hasThoughts) return null
      const pieces = marked === isThought ? [] : flush()
      if (marked !== isThought) expectedTag = marked ? OPEN : CLOSE
      isThought = marked
      pending += content
      if (expectedTag !== null) {
        if (pending.length < expectedTag.length && expectedTag.startsWith(pending)) return pieces
        if (pending.startsWith(expectedTag)) pending = pending.slice(expectedTag.length)
        expectedTag = null
      }
      return [...pieces, ...flush()]
    },
    end: flush,
  }
}

function isMarked(delta: JsonRecord): boolean {
  return asRecord(asRecord(delta['extra_content'])?.['google'])?.['thought'] === true
}

/** Fields in which servers send reasoning as text. Reads only the first one present, because the others repeat it. */
const textFields = ['reasoning_content', 'reasoning', 'thinking'] as const

/** Collects an answer's reasoning in the form that the server requires when it is sent back. */
interface ReasoningFields {
  /** Takes a delta. Returns its new text, if any. */
  read(delta: JsonRecord): string
  /** Like `read`, for a content part (Mistral): `{ type: 'thinking', thinking: [text parts] }`. */
  readPart(part: JsonRecord): string
  /** Records text of the reply, to keep its position among thinking parts. */
  passText(text: string): void
  /** Returns the fields to send back, or undefined. */
  metadata(): JsonObject | undefined
}

/** Our own record, which each delta extends. */
interface Growing {
  [name: string]: unknown
}

function createReasoningFields(): ReasoningFields {
  const texts = new Map<string, string[]>()
  const details: Growing[] = []
  /** Texts and thinking parts, in order. */
  const content: Growing[] = []

  function readText(delta: JsonRecord): string {
    for (const field of textFields) {
      const text = delta[field]
      if (typeof text !== 'string' || text === '') continue
      const pieces = texts.get(field)
      if (pieces) pieces.push(text)
      else texts.set(field, [text])
      return text
    }
    return ''
  }

  return {
    read(delta) {
      const text = readText(delta)
      const items = asList(delta['reasoning_details'])
      if (items.length === 0) return text
      for (const item of items) addDetail(details, item)
      return text === '' ? items.map(detailText).join('') : text
    },
    readPart(part) {
      const { thinking, ...fields } = part
      const pieces = typeof thinking === 'string' ? [thinking] : asList(thinking)
      let last = content.at(-1)
      if (last && isThinking(last)) mergeFields(last, fields)
      else content.push((last = { ...fields, thinking: [] }))
      addPieces(last['thinking'] as Growing[], pieces)
      return pieces.map(detailText).join('')
    },
    passText: (text) => addPieces(content, [text]),
    metadata() {
      const fields: { [name: string]: JsonValue } = {}
      for (const [name, pieces] of texts) fields[name] = pieces.join('')
      if (details.length > 0) fields['reasoning_details'] = details as JsonObject[]
      // Text after the last thinking part is sent as the message's text.
      const thinking = content.slice(0, content.findLastIndex(isThinking) + 1)
      if (thinking.length > 0) fields['content'] = thinking as JsonObject[]
      return Object.keys(fields).length === 0 ? undefined : fields
    },
  }
}

function isThinking(part: Growing): boolean {
  return 'thinking' in part
}

/** Adds the pieces to the list; adjacent texts are merged. */
function addPieces(list: Growing[], pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    const text = detailText(piece)
    const last = list.at(-1)
    if (text === '') list.push(piece as Growing)
    else if (last?.['type'] === 'text')
      list[list.length - 1] = { ...last, text: detailText(last) + text }
    else list.push({ type: 'text', text })
  }
}

function detailText(item: unknown): string {
  const record = asRecord(item)
  return asText(record?.['text']) ?? asText(record?.['summary']) ?? asText(item) ?? ''
}

/** Adds a detail. OpenRouter streams one item in pieces with equal `type` and `index`. */
function addDetail(details: Growing[], item: unknown): void {
  const record = asRecord(item)
  if (!record) return
  const { index, type } = record
  const last = details.at(-1)
  if (index !== undefined && last?.['index'] === index && last['type'] === type)
    mergeFields(last, record)
  else details.push({ ...record })
}

/** Appends texts. For other fields, the last value wins. */
function mergeFields(target: Growing, fields: JsonRecord): void {
  for (const [name, value] of Object.entries(fields)) {
    const previous = target[name]
    if (value === null || value === undefined || name === '__proto__') continue
    const isText = name === 'text' || name === 'summary' || name === 'data'
    const isContinued = isText && typeof value === 'string' && typeof previous === 'string'
    target[name] = isContinued ? previous + value : value
  }
}

/** Keys of the arguments. Few servers use others than the first, but their arguments must not be lost. */
const argumentKeys = ['arguments', 'parameters', 'input', 'args'] as const

/** Reads an entry of `tool_calls`, whose fields differ between servers. */
function callDelta(call: JsonRecord): CallDelta {
  const { id, function: functionField } = call
  const fn = asRecord(functionField) ?? asRecord(call['custom']) ?? call
  const values = [fn, call].flatMap((position) => argumentKeys.map((key) => position[key]))
  return {
    id: typeof id === 'number' ? String(id) : asText(id),
    index: asCount(call['index']),
    name: asText(fn['name'] ?? functionField)?.trim() || undefined,
    args: asArguments(values.find((value) => value != null && value !== '')),
  }
}
