import { randomId } from '../../lib/random-id.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { estimateByLength, type ParsedRequest, type WireFormat } from './read-request.ts'

/** A part of an answer: reasoning, text or a call. */
export interface AnswerBlock {
  /** Position in the answer. */
  readonly index: number
  readonly type: 'reasoning' | 'text' | 'call'
  /** Id of the call; for other blocks a random one. */
  readonly id: string
  /** Name of the called tool, or ''. */
  readonly name: string
  /** The content so far: text, or the call's arguments as JSON. */
  content: string
}

/** Writes one answer in a wire format, as server-sent events or as one body. */
export interface AnswerWriter {
  begin(firstType: AnswerBlock['type'] | undefined): string[]
  open(block: AnswerBlock): string[]
  piece(block: AnswerBlock, piece: string): string[]
  close(block: AnswerBlock): string[]
  end(blocks: readonly AnswerBlock[]): string[]
  /** Ends a stream with an error. */
  fail(message: string): string[]
  body(blocks: readonly AnswerBlock[]): JsonObject
}

/** Returns the writer for the answer to a question. */
export function createAnswerWriter(request: ParsedRequest): AnswerWriter {
  return writers[request.format](request)
}

const writers: Readonly<Record<WireFormat, (request: ParsedRequest) => AnswerWriter>> = {
  chat: chatWriter,
  responses: responsesWriter,
  messages: messagesWriter,
}

function dataEvent(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

function typedEvent(type: string, fields: JsonObject = {}): string {
  return `event: ${type}\n${dataEvent({ type, ...fields })}`
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}

function outputTokensOf(blocks: readonly AnswerBlock[]): number {
  return blocks.reduce(
    (sum, { name, content }) => sum + estimateByLength(name) + estimateByLength(content),
    0,
  )
}

function contentOf(blocks: readonly AnswerBlock[], type: AnswerBlock['type']): string {
  return blocks.map((block) => (block.type === type ? block.content : '')).join('')
}

function callsIn(blocks: readonly AnswerBlock[]): AnswerBlock[] {
  return blocks.filter(({ type }) => type === 'call')
}

/**
 * Writes Chat Completions. Reasoning is sent in `reasoning_content`, as many servers do; OpenAI's server sends none.
 */
function chatWriter({ model, inputTokens, wantsUsage }: ParsedRequest): AnswerWriter {
  const head = { id: `chatcmpl-${randomId()}`, created: secondsNow(), model }
  const chunk = (choices: JsonObject[], usage: JsonObject | null = null): string =>
    dataEvent({
      ...head,
      object: 'chat.completion.chunk',
      choices,
      ...(wantsUsage && { usage }),
    })
  const deltaChunk = (delta: JsonObject, reason: string | null = null): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: reason }])
  let callCount = 0
  return {
    begin: (firstType) => [
      deltaChunk({ role: 'assistant', content: firstType === 'call' ? null : '', refusal: null }),
    ],
    open: ({ type, id, name }) => {
      if (type !== 'call') return []
      const call = { index: callCount++, id, type: 'function', function: { name, arguments: '' } }
      return [deltaChunk({ tool_calls: [call] })]
    },
    piece: ({ type }, piece) => {
      if (type === 'text') return [deltaChunk({ content: piece })]
      if (type === 'reasoning') return [deltaChunk({ reasoning_content: piece })]
      const call = { index: callCount - 1, function: { arguments: piece } }
      return [deltaChunk({ tool_calls: [call] })]
    },
    close: () => [],
    end: (blocks) => [
      deltaChunk({}, chatReason(blocks)),
      ...(wantsUsage ? [chunk([], chatUsage(blocks, inputTokens))] : []),
      'data: [DONE]\n\n',
    ],
    fail: (message) => [
      dataEvent({ error: { message, type: 'server_error', param: null, code: null } }),
    ],
    body: (blocks) => {
      const message = chatMessage(blocks)
      const choice = { index: 0, message, logprobs: null, finish_reason: chatReason(blocks) }
      const usage = chatUsage(blocks, inputTokens)
      return { ...head, object: 'chat.completion', choices: [choice], usage }
    },
  }
}

function chatUsage(blocks: readonly AnswerBlock[], inputTokens: number): JsonObject {
  const output = outputTokensOf(blocks)
  const reasoning = estimateByLength(contentOf(blocks, 'reasoning'))
  return {
    prompt_tokens: inputTokens,
    completion_tokens: output,
    total_tokens: inputTokens + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

function chatReason(blocks: readonly AnswerBlock[]): string {
  return callsIn(blocks).length > 0 ? 'tool_calls' : 'stop'
}

function chatMessage(blocks: readonly AnswerBlock[]): JsonObject {
  const calls = callsIn(blocks).map(({ id, name, content }) => ({
    id,
    type: 'function',
    function: { name, arguments: content },
  }))
  const text = contentOf(blocks, 'text')
  const reasoning = contentOf(blocks, 'reasoning')
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
    refusal: null,
  }
}

/** OpenAI's Responses. Each block is an item. */
function responsesWriter({ model, inputTokens }: ParsedRequest): AnswerWriter {
  let sequence = 0
  const event = (type: string, fields: JsonObject): string =>
    typedEvent(type, { sequence_number: sequence++, ...fields })
  const itemPosition = (block: AnswerBlock): JsonObject => ({
    item_id: itemId(block),
    output_index: block.index,
    ...(block.type === 'text' && { content_index: 0 }),
    ...(block.type === 'reasoning' && { summary_index: 0 }),
  })
  const contentDone = (block: AnswerBlock): string[] => {
    const { type, name, content } = block
    if (type === 'call')
      return [event(EVENTS.call.done, { ...itemPosition(block), name, arguments: content })]
    const logprobs = type === 'text' && { logprobs: [] }
    return [
      event(EVENTS[type].done, { ...itemPosition(block), text: content, ...logprobs }),
      event(EVENTS[type].closed, { ...itemPosition(block), part: partOf(block) }),
    ]
  }
  const base = responseBase(model)
  const completed = (blocks: readonly AnswerBlock[]): JsonObject => ({
    ...base,
    status: 'completed',
    output: blocks.map((block) => itemOf(block, 'completed')),
    usage: responsesUsage(blocks, inputTokens),
  })
  return {
    begin: () =>
      ['response.created', 'response.in_progress'].map((type) => event(type, { response: base })),
    open: (block) => {
      const item = itemOf(block, 'in_progress')
      const added = event('response.output_item.added', { output_index: block.index, item })
      if (block.type === 'call') return [added]
      const { opened } = EVENTS[block.type]
      return [added, event(opened, { ...itemPosition(block), part: partOf(block) })]
    },
    piece: (block, delta) => [
      event(EVENTS[block.type].delta, {
        ...itemPosition(block),
        delta,
        ...(block.type === 'text' && { logprobs: [] }),
      }),
    ],
    close: (block) => {
      const item = itemOf(block, 'completed')
      return [
        ...contentDone(block),
        event('response.output_item.done', { output_index: block.index, item }),
      ]
    },
    end: (blocks) => [event('response.completed', { response: completed(blocks) })],
    fail: (message) => [
      event('response.failed', {
        response: { ...base, status: 'failed', error: { code: 'server_error', message } },
      }),
    ],
    body: completed,
  }
}

const EVENTS = {
  text: {
    opened: 'response.content_part.added',
    delta: 'response.output_text.delta',
    done: 'response.output_text.done',
    closed: 'response.content_part.done',
  },
  reasoning: {
    opened: 'response.reasoning_summary_part.added',
    delta: 'response.reasoning_summary_text.delta',
    done: 'response.reasoning_summary_text.done',
    closed: 'response.reasoning_summary_part.done',
  },
  call: {
    delta: 'response.function_call_arguments.delta',
    done: 'response.function_call_arguments.done',
  },
} as const

function responseBase(model: string): JsonObject {
  return {
    id: `resp_${randomId()}`,
    object: 'response',
    created_at: secondsNow(),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
  }
}

function responsesUsage(blocks: readonly AnswerBlock[], inputTokens: number): JsonObject {
  const output = outputTokensOf(blocks)
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: estimateByLength(contentOf(blocks, 'reasoning')) },
    total_tokens: inputTokens + output,
  }
}

function itemId({ type, id }: AnswerBlock): string {
  return `${{ reasoning: 'rs', text: 'msg', call: 'fc' }[type]}_${id}`
}

function itemOf(block: AnswerBlock, status: 'in_progress' | 'completed'): JsonObject {
  const { type, id, name, content } = block
  const item = { id: itemId(block), status }
  const parts = content === '' ? [] : [partOf(block)]
  if (type === 'call')
    return { ...item, type: 'function_call', call_id: id, name, arguments: content }
  if (type === 'reasoning') return { id: item.id, type, summary: parts }
  return { ...item, type: 'message', role: 'assistant', content: parts }
}

function partOf({ type, content }: AnswerBlock): JsonObject {
  return type === 'reasoning'
    ? { type: 'summary_text', text: content }
    : { type: 'output_text', text: content, annotations: [], logprobs: [] }
}

/** Anthropic's Messages. */
function messagesWriter({ model, inputTokens }: ParsedRequest): AnswerWriter {
  const message = (fields: JsonObject): JsonObject => ({
    id: `msg_${randomId()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...fields,
  })
  const usage = (outputTokens: number): JsonObject => ({
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  })
  const delta = ({ index }: AnswerBlock, fields: JsonObject): string =>
    typedEvent('content_block_delta', { index, delta: fields })
  return {
    begin: () => [typedEvent('message_start', { message: message({ usage: usage(1) }) })],
    open: (block) => {
      const { index } = block
      const start = typedEvent('content_block_start', { index, content_block: emptyBlock(block) })
      return index === 0 ? [start, typedEvent('ping')] : [start]
    },
    piece: (block, piece) => {
      if (block.type === 'text') return [delta(block, { type: 'text_delta', text: piece })]
      if (block.type === 'reasoning')
        return [delta(block, { type: 'thinking_delta', thinking: piece })]
      return [delta(block, { type: 'input_json_delta', partial_json: piece })]
    },
    close: (block) => {
      const stop = typedEvent('content_block_stop', { index: block.index })
      if (block.type !== 'reasoning') return [stop]
      return [delta(block, { type: 'signature_delta', signature: signatureOf(block) }), stop]
    },
    end: (blocks) => [
      typedEvent('message_delta', {
        delta: { stop_reason: stopReason(blocks), stop_sequence: null },
        usage: { output_tokens: outputTokensOf(blocks) },
      }),
      typedEvent('message_stop'),
    ],
    fail: (text) => [typedEvent('error', { error: { type: 'api_error', message: text } })],
    body: (blocks) =>
      message({
        content: blocks.map(wholeBlock),
        stop_reason: stopReason(blocks),
        usage: usage(outputTokensOf(blocks)),
      }),
  }
}

function stopReason(blocks: readonly AnswerBlock[]): string {
  return callsIn(blocks).length > 0 ? 'tool_use' : 'end_turn'
}

function emptyBlock({ type, id, name }: AnswerBlock): JsonObject {
  if (type === 'call') return { type: 'tool_use', id, name, input: {} }
  return type === 'reasoning'
    ? { type: 'thinking', thinking: '', signature: '' }
    : { type, text: '' }
}

function wholeBlock(block: AnswerBlock): JsonObject {
  const { type, id, name, content } = block
  if (type === 'call') {
    return { type: 'tool_use', id, name, input: JSON.parse(content) as JsonValue }
  }
  return type === 'reasoning'
    ? { type: 'thinking', thinking: content, signature: signatureOf(block) }
    : { type, text: content }
}

/** Returns any signature: the mock doesn't check it, but clients require one. */
function signatureOf({ id }: AnswerBlock): string {
  return btoa(id)
}
