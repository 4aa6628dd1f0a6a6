import fc from 'fast-check'
import { sse } from './replay.ts'

/** A model's answer in one turn, independent of the wire format. */
export interface Turn {
  readonly text: string
  readonly thinking: readonly { readonly text: string; readonly signature: string }[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly json: string }[]
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
  readonly isCutByLength: boolean
}

/** Where the streams are cut into deltas: characters a delta, used in turns. */
export type Cuts = readonly number[]

const words = fc.string({ unit: 'grapheme', maxLength: 40 })

/** Inputs as a model writes them: objects, with the escapes and white space that JSON allows. */
const inputs = fc
  .tuple(
    fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
    fc.constantFrom(0, 2),
  )
  .map(([input, indent]) => JSON.stringify(input, null, indent))

export const turns: fc.Arbitrary<Turn> = fc
  .record({
    text: words,
    thinking: fc.array(
      fc.record({ text: words, signature: fc.base64String({ minLength: 4, maxLength: 40 }) }),
      { maxLength: 2 },
    ),
    calls: fc.array(
      fc.record({ name: fc.constantFrom('get_weather', 'ping', 'other'), json: inputs }),
      { maxLength: 4 },
    ),
    inputTokens: fc.nat(9_999),
    outputTokens: fc.integer({ min: 1, max: 9_999 }),
    cachedTokens: fc.nat(99),
    isCutByLength: fc.boolean(),
  })
  .map((turn) => ({
    ...turn,
    // A cut answer with calls is no well-formed one.
    isCutByLength: turn.isCutByLength && turn.calls.length === 0,
    calls: turn.calls.map((call, index) => ({ ...call, id: `call_${index}` })),
  }))

export const cuts: fc.Arbitrary<Cuts> = fc.array(fc.integer({ min: 1, max: 24 }), {
  minLength: 1,
  maxLength: 5,
})

function cut(text: string, lengths: Cuts): string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1
    pieces.push(text.slice(at, at + length))
    at += length
  }
  return pieces
}

/** The turn as OpenAI streams it; deltas of parallel calls are interleaved. It has no thinking. */
export function chatStream(turn: Turn, lengths: Cuts): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const chunk = (delta: object, finish: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
  })
  const finish = turn.isCutByLength ? 'length' : turn.calls.length > 0 ? 'tool_calls' : 'stop'
  return sse(
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...cut(turn.text, lengths).map((content) => chunk({ content })),
    ...turn.calls.map(({ id, name }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ),
    ...interleave(turn.calls.map(({ json }) => cut(json, lengths))).map(({ index, piece }) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
    chunk({}, finish),
    {
      ...head,
      choices: [],
      usage: {
        prompt_tokens: turn.inputTokens,
        completion_tokens: turn.outputTokens,
        total_tokens: turn.inputTokens + turn.outputTokens,
        prompt_tokens_details: { cached_tokens: turn.cachedTokens, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    },
    '[DONE]',
  )
}

function interleave(
  lists: readonly (readonly string[])[],
): { readonly index: number; readonly piece: string }[] {
  const rounds = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: rounds }, (_, round) =>
    lists.flatMap((list, index) => {
      const piece = list[round]
      return piece === undefined ? [] : [{ index, piece }]
    }),
  ).flat()
}

/** The turn as Anthropic streams it: thinking, text, calls, each a block of its own. */
export function messagesStream(turn: Turn, lengths: Cuts): string {
  const blocks = [
    ...turn.thinking.map(({ text, signature }) => ({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...cut(text, lengths).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ],
    })),
    ...(turn.text === ''
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: cut(turn.text, lengths).map((text) => ({ type: 'text_delta', text })),
          },
        ]),
    ...turn.calls.map(({ id, name, json }) => ({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: ['', ...cut(json, lengths)].map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    })),
  ]
  const stop = turn.isCutByLength ? 'max_tokens' : turn.calls.length > 0 ? 'tool_use' : 'end_turn'
  return sseEvents(
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: turn.inputTokens,
          cache_read_input_tokens: turn.cachedTokens,
          cache_creation_input_tokens: 0,
          output_tokens: 1,
        },
      },
    },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: turn.outputTokens },
    },
    { type: 'message_stop' },
  )
}

/** The turn as the Responses API streams it: each thought, the text and each call are items. Calls are interleaved. */
export function responsesStream(turn: Turn, lengths: Cuts): string {
  const thoughts = turn.thinking.map(({ text, signature }, index) => {
    const ref = { item_id: `rs_${index}`, output_index: index }
    const item = { id: `rs_${index}`, type: 'reasoning' }
    const done = {
      ...item,
      encrypted_content: signature,
      summary: [{ type: 'summary_text', text }],
    }
    return [
      added(index, { ...item, summary: [] }),
      {
        type: 'response.reasoning_summary_part.added',
        ...ref,
        summary_index: 0,
        part: { type: 'summary_text', text: '' },
      },
      ...cut(text, lengths).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...ref,
        summary_index: 0,
        delta,
      })),
      whole(index, done),
    ]
  })
  const at = thoughts.length
  const part = (text: string) => ({ type: 'output_text', annotations: [], logprobs: [], text })
  const place = { item_id: 'msg_1', output_index: at, content_index: 0 }
  const reply = { id: 'msg_1', type: 'message', role: 'assistant' }
  const message =
    turn.text === ''
      ? []
      : [
          added(at, { ...reply, status: 'in_progress', content: [] }),
          { type: 'response.content_part.added', ...place, part: part('') },
          ...cut(turn.text, lengths).map((delta) => ({
            type: 'response.output_text.delta',
            ...place,
            delta,
          })),
          { type: 'response.output_text.done', ...place, text: turn.text },
          { type: 'response.content_part.done', ...place, part: part(turn.text) },
          whole(at, { ...reply, status: 'completed', content: [part(turn.text)] }),
        ]
  const first = at + (message.length > 0 ? 1 : 0)
  const calls = turn.calls.map(({ id, name, json }, index) => ({
    type: 'function_call',
    id: `fc_${index}`,
    status: 'completed',
    arguments: json,
    call_id: id,
    name,
  }))
  const events: StreamEvent[] = [
    ...thoughts.flat(),
    ...message,
    ...calls.map((call, index) => added(first + index, { ...call, arguments: '' })),
    ...interleave(turn.calls.map(({ json }) => cut(json, lengths))).map(({ index, piece }) => ({
      type: 'response.function_call_arguments.delta',
      item_id: `fc_${index}`,
      output_index: first + index,
      delta: piece,
    })),
    ...calls.flatMap((call, index) => [
      {
        type: 'response.function_call_arguments.done',
        item_id: `fc_${index}`,
        output_index: first + index,
        arguments: call.arguments,
      },
      whole(first + index, call),
    ]),
  ]
  const response = { id: 'resp_1', object: 'response', model: 'm', output: [], usage: null }
  const end = turn.isCutByLength ? 'incomplete' : 'completed'
  return sseEvents(
    { type: 'response.created', response: { ...response, status: 'in_progress' } },
    ...events,
    {
      type: `response.${end}`,
      response: {
        ...response,
        status: end,
        incomplete_details: turn.isCutByLength ? { reason: 'max_output_tokens' } : null,
        output: events
          .filter(({ type }) => type === 'response.output_item.done')
          .map(({ item }) => item),
        usage: {
          input_tokens: turn.inputTokens,
          input_tokens_details: { cached_tokens: turn.cachedTokens },
          output_tokens: turn.outputTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: turn.inputTokens + turn.outputTokens,
        },
      },
    },
  )
}

function added(index: number, item: object) {
  return { type: 'response.output_item.added', output_index: index, item }
}

function whole(index: number, item: object) {
  return { type: 'response.output_item.done', output_index: index, item }
}

interface StreamEvent {
  readonly type: string
  readonly [field: string]: unknown
}

function sseEvents(...events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}
