import type { Scenario } from '../record.ts'

const pixel = {
  type: 'file',
  mediaType: 'image/png',
  data: 'iVBORw0KGgo=',
  filename: 'dot.png',
} as const

/** Answers without calls. */
export const texts: readonly Scenario[] = [
  { name: 'a text', turns: [{ text: 'Hello, how can I help you today?' }] },
  {
    name: 'a text that takes its time',
    turns: [{ text: 'One two three four five six.', paceMs: 15 }],
  },
  { name: 'an empty answer', turns: [{}] },
  { name: 'emoji and line breaks', turns: [{ text: '👋🏽 Hi!\n\n- one\n- two\n', paceMs: 20 }] },
  {
    name: 'reasoning, then a text',
    turns: [{ reasoning: 'The person greets me.', text: 'Hello.', paceMs: 10 }],
  },
  { name: 'reasoning alone', turns: [{ reasoning: 'Hm.' }] },
  {
    name: 'text and reasoning by turns',
    turns: [
      {
        parts: [
          { type: 'text-delta', delta: 'First.' },
          { type: 'reasoning-delta', delta: 'Wait.' },
          { type: 'text-delta', delta: 'Second.' },
          { type: 'reasoning-delta', delta: 'Yes.' },
        ],
        text: 'Third.',
      },
    ],
  },
  {
    name: 'think tags in the text of a model with tools',
    turns: [{ text: '<think>Let me see.</think>It is four.', paceMs: 10 }],
    tools: ['add'],
  },
  {
    name: 'a closing think tag that was never opened',
    turns: [{ text: 'Let me see.</think>It is four.' }],
    tools: ['add'],
  },
  {
    name: 'usage, its finish and metadata',
    turns: [
      {
        text: 'Hi.',
        usage: { inputTokens: 12, outputTokens: 3, reasoningTokens: 1 },
        finish: 'length',
        rawFinish: 'max_tokens',
        metadata: { signature: 'abc', nested: { deep: [1, 2] } },
      },
    ],
  },
  {
    name: 'a content filter',
    turns: [{ text: 'I can', finish: 'content-filter', rawFinish: 'filtered' }],
  },
  { name: 'a warning in the middle', turns: [{ warning: 'Nearly full.', text: 'Hello.' }] },
  {
    name: 'raw data',
    turns: [
      {
        parts: [{ type: 'raw', data: { chunk: 1 } }],
        text: 'Hello.',
        calls: [{ tool: 'add', input: { a: 1, b: 1 } }],
      },
      { text: 'Two.' },
    ],
    tools: ['add'],
    options: { raw: true },
  },
  {
    name: 'raw data that nobody wanted',
    turns: [{ parts: [{ type: 'raw', data: { chunk: 1 } }], text: 'Hello.' }],
  },
  {
    name: 'a file in the message',
    turns: [{ text: 'A dot.' }],
    play: async (on) => on.end(on.run([{ type: 'text', text: 'What is this?' }, pixel])),
  },
  {
    name: 'files alone, and a text after them',
    turns: [{ text: 'Two dots.' }],
    play: async (on) => {
      await on.end(on.run([pixel, { ...pixel, data: `data:image/png;base64,${pixel.data}` }]))
      await on.end(on.run('And now?'))
    },
  },
  {
    name: 'instructions, values and context',
    turns: [{ text: 'Noted.' }],
    options: {
      instructions: 'You help {{name}}.',
      values: { name: 'Ada' },
      context: () => ({ page: 'cart' }),
    },
    play: async (on) => on.end(on.run('I am {{name}}, {{age}}', { values: { age: 36 } })),
  },
  {
    name: 'a value that is missing',
    turns: [{ text: 'Never.' }],
    play: async (on) => on.end(on.run('I am {{name}}', { values: { age: 36 } })),
  },
  { name: 'an empty message', turns: [], play: async (on) => on.end(on.run('')) },
  {
    name: 'three runs of one conversation',
    turns: [{ text: 'Well.', usage: { inputTokens: 5, outputTokens: 1 } }],
    play: async (on) => {
      for (const text of ['One', 'Two', 'Three']) await on.end(on.run(text))
    },
  },
  {
    name: 'two conversations at once',
    turns: [{ text: 'A slow answer to somebody.', paceMs: 10 }],
    views: ['talk', 'other'],
    play: async (on) => {
      const runs = [on.run('One'), on.run('Two', { conversationId: 'other' })]
      for (const run of runs) await on.end(run)
    },
  },
  {
    name: 'a conversation that nobody named',
    turns: [{ text: 'Hello.' }],
    play: async (on) => on.end(on.follow(on.agent.run('Hi'))),
  },
  {
    name: 'a conversation that nobody looks at',
    turns: [{ text: 'Hello.', paceMs: 30 }],
    views: [],
  },
  {
    name: 'a run that is read after its end',
    turns: [{ reasoning: 'So.', text: 'Hello, late reader.', paceMs: 30 }],
    play: async (on) => {
      const run = on.agent.run('Hi', { conversationId: 'talk' })
      await run.result
      await on.end(on.follow(run))
    },
  },
  {
    name: 'the memory as storage',
    turns: [{ text: 'Soon forgotten.' }],
    options: { storage: 'memory' },
  },
  {
    name: 'a script',
    script: {
      scenes: [{ match: ['cart'], steps: [{ reasoning: 'A cart.', text: 'Your cart is empty.' }] }],
      fallback: [{ text: 'What?' }],
      paceMs: 10,
    },
    play: async (on) => {
      await on.end(on.run('Show my cart'))
      await on.end(on.run('Sing'))
    },
  },
  {
    name: 'a script that ends too early',
    script: {
      steps: [{ text: 'I add.', toolCalls: [{ toolName: 'add', input: { a: 1, b: 2 } }] }],
    },
    tools: ['add'],
  },
]
