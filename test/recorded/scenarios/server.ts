import type { Scenario } from '../record.ts'
import type { Answer } from '../stage/network.ts'

const delta = (content: object, more: object = {}): object => ({
  choices: [{ index: 0, delta: content, ...more }],
})
const stop = (reason: string): object => delta({}, { finish_reason: reason })
const usage = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } }
const text = (...pieces: string[]): Answer => ({
  sse: [...pieces.map((content) => delta({ content })), stop('stop'), usage, '[DONE]'],
  paceMs: 20,
})

const call = (index: number, id: string | undefined, args: string[]): object[] => [
  delta({
    tool_calls: [
      {
        index,
        ...(id !== undefined && { id }),
        type: 'function',
        function: { name: 'add', arguments: '' },
      },
    ],
  }),
  ...args.map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
]
const calls = (...chunks: object[][]): Answer => ({
  sse: [...chunks.flat(), stop('tool_calls'), usage, '[DONE]'],
  paceMs: 10,
})

const chat: readonly Scenario[] = [
  { name: 'a text', server: [text('Hel', 'lo ', 'there.')] },
  {
    name: 'an answer that is no stream',
    server: [
      { json: { choices: [{ index: 0, message: { content: 'Whole.' }, finish_reason: 'stop' }] } },
    ],
  },
  {
    name: 'reasoning',
    server: [
      {
        sse: [
          delta({ reasoning_content: 'So ' }),
          delta({ reasoning_content: 'be it.' }),
          delta({ content: 'Yes.' }),
          stop('stop'),
          '[DONE]',
        ],
      },
    ],
  },
  {
    name: 'a picture between texts, then a question about it',
    server: [
      {
        sse: [
          delta({ content: 'Here:' }),
          delta({
            images: [
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
            ],
          }),
          delta({ content: 'Well?' }),
          stop('stop'),
          '[DONE]',
        ],
      },
      text('A cat.'),
    ],
    async play(on) {
      await on.end(on.run())
      await on.end(on.run('And what is it?'))
    },
  },
  { name: 'a call', server: [calls(call(0, 'call_a', ['{"a":1,', '"b":2}'])), text('Three.')] },
  {
    name: 'two calls',
    server: [
      calls(call(0, 'call_a', ['{"a":1,"b":2}']), call(1, 'call_b', ['{"a":3,"b":4}'])),
      text('Ten.'),
    ],
  },
  {
    name: 'a call without an id',
    server: [calls(call(0, undefined, ['{"a":1,"b":2}'])), text('Three.')],
  },
  {
    name: 'the same id in two answers',
    server: [
      calls(call(0, 'call_a', ['{"a":1,"b":2}'])),
      calls(call(0, 'call_a', ['{"a":3,"b":2}'])),
      text('Five.'),
    ],
  },
  {
    name: 'arguments that are no JSON',
    server: [calls(call(0, 'call_a', ['{"a":1,'])), text('Oh.')],
  },
  {
    name: 'a call that is cut off by its length',
    server: [{ sse: [...call(0, 'call_a', ['{"a":1,']), stop('length'), '[DONE]'] }, text('Oh.')],
  },
  {
    name: 'a stream that breaks, and a good one',
    server: [{ sse: [delta({ content: 'Hal' })], breaks: true, paceMs: 50 }, text('Half of it.')],
  },
  {
    name: 'a stream without its end, and a good one',
    server: [{ sse: [delta({ content: 'Hal' })] }, text('Half of it.')],
  },
  {
    name: 'an overload, a network that fails, and a good answer',
    server: [
      { status: 503, json: { error: { message: 'Overloaded' } } },
      { fails: true },
      text('At last.'),
    ],
  },
  {
    name: 'a limit that says when',
    server: [
      { status: 429, headers: { 'retry-after': '2' }, json: { error: { message: 'Slow down' } } },
      text('At last.'),
    ],
  },
  {
    name: 'a key that is refused',
    server: [{ status: 401, json: { error: { message: 'Bad key' } } }],
  },
  {
    name: 'a refusal of tools',
    server: [
      { status: 400, json: { error: { message: 'model does not support tools' } } },
      text('In words.'),
    ],
  },
  {
    name: 'a server that falls silent',
    server: [
      { sse: [delta({ content: 'Hal' }), 'x'.repeat(0)], paceMs: 70_000 },
      text('Half of it.'),
    ],
  },
  { name: 'raw data', server: [text('Hel', 'lo.')], options: { raw: true } },
  { name: 'a page that fetches', server: [text('Hel', 'lo.')], model: { transport: 'page' } },
  {
    name: 'a call, and an abort in the second answer',
    server: [calls(call(0, 'call_a', ['{"a":1,"b":2}'])), text('Thr', 'ee', '.')],
    play: async (on) => {
      const run = on.run()
      await on.event('text-delta')
      run.run.abort('enough')
      return on.end(run)
    },
  },
]

const openai: readonly Scenario[] = chat.map((scenario) => ({
  ...scenario,
  name: `OpenAI: ${scenario.name}`,
  tools: ['add'],
}))

const event = (type: string, more: object = {}): object => ({ type, ...more })
const block = (index: number, content: object, deltas: object[]): object[] => [
  event('content_block_start', { index, content_block: content }),
  ...deltas.map((each) => event('content_block_delta', { index, delta: each })),
  event('content_block_stop', { index }),
]
const message = (reason: string, ...blocks: object[][]): Answer => ({
  sse: [
    event('message_start', {
      message: { content: [], usage: { input_tokens: 7, output_tokens: 1 } },
    }),
    ...blocks.flat(),
    event('message_delta', { delta: { stop_reason: reason }, usage: { output_tokens: 9 } }),
    event('message_stop'),
  ],
  paceMs: 15,
})
const words = (value: string): object[] =>
  block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: value }])

const anthropic: readonly Scenario[] = [
  { name: 'a text', server: [message('end_turn', words('Hello there.'))] },
  {
    name: 'a thought with its signature, a text and a call',
    server: [
      message(
        'tool_use',
        block(0, { type: 'thinking', thinking: '' }, [
          { type: 'thinking_delta', thinking: 'I add.' },
          { type: 'signature_delta', signature: 'sig' },
        ]),
        block(1, { type: 'text', text: '' }, [{ type: 'text_delta', text: 'I add.' }]),
        block(2, { type: 'tool_use', id: 'toolu_1', name: 'add', input: {} }, [
          { type: 'input_json_delta', partial_json: '{"a":1,' },
          { type: 'input_json_delta', partial_json: '"b":2}' },
        ]),
      ),
      message('end_turn', words('Three.')),
    ],
  },
  {
    name: 'an overload in the stream',
    server: [
      {
        sse: [
          event('message_start', { message: { usage: { input_tokens: 7 } } }),
          event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
        ],
      },
      message('end_turn', words('At last.')),
    ],
  },
  { name: 'an answer that is too long', server: [message('max_tokens', words('And so on and'))] },
].map((scenario) => ({
  ...scenario,
  name: `Anthropic: ${scenario.name}`,
  tools: ['add'],
  model: { provider: 'anthropic', baseURL: 'http://127.0.0.1:1', apiKey: 'dummy' },
}))

export const server: readonly Scenario[] = [...openai, ...anthropic]
