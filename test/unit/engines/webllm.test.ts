import { beforeEach, expect, test } from 'vitest'
import { webllmDefinition } from '../../../src/engines/webllm/webllm-definition.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { MLCEngine } from '../../fixtures/engines/webllm-stub.js'
import { all, ask, connect, settle, text } from './support.ts'

// WebLLM itself needs a GPU and weights. These tests hold the adapter to its documented interface,
// with a stub whose chunks, checks and errors are shaped like the real one's.

const model = { provider: 'webllm', model: 'Tiny-q4f16_1-MLC' }
const engines = MLCEngine.made as {
  requests: {
    messages: { role: string; content: unknown }[]
    tools?: unknown
    response_format?: unknown
  }[]
  chatOptions?: unknown
  unloaded?: boolean
}[]

const paint = {
  name: 'paint',
  description: 'Paints.',
  inputSchema: { type: 'object', properties: { color: { type: 'string' } } },
}

beforeEach(() => {
  engines.length = 0
})

function webllm(options = {}) {
  const definition = webllmDefinition(options, async () => ({ MLCEngine }))
  return { definition, connection: connect(definition).connection }
}

test('streams text with usage and its end, and never sends tools', async () => {
  const { connection } = webllm()
  const request = { ...ask('paint it'), tools: [paint], instructions: 'Be brief.' }
  const parts = await all(connection.stream(request, model))
  expect(text(parts)).toContain('<ACTION>\n<paint><color>red</color></paint>')
  expect(parts.at(-2)).toMatchObject({ type: 'usage', usage: { outputTokens: expect.any(Number) } })
  expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  expect(engines[0]?.requests[0]).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'paint it' },
    ],
    stream_options: { include_usage: true },
  })
  expect(engines[0]?.requests[0]?.tools).toBeUndefined()
})

test('an ACTION block is constrained to the tools, and text before it is free', async () => {
  const { connection } = webllm()
  await all(connection.stream({ ...ask('paint'), tools: [paint] }, model))
  const call = { type: 'tag', begin: '<paint>', content: { type: 'any_text' }, end: '</paint>' }
  const empty = { type: 'tag', begin: '<paint', content: { type: 'const_string', value: '/' } }
  const calls = { type: 'tags_with_separator', separator: '\n', at_least_one: true }
  expect(engines[0]?.requests[0]?.response_format).toEqual({
    type: 'structural_tag',
    structural_tag: {
      type: 'structural_tag',
      format: {
        type: 'triggered_tags',
        triggers: ['<ACTION>\n'],
        tags: [
          {
            type: 'tag',
            begin: '<ACTION>\n',
            content: { ...calls, tags: [call, { ...empty, end: '>' }] },
            end: '\n</ACTION>',
          },
        ],
      },
    },
  })
})

const search = { name: 'search', description: 'Searches.' }

test.each([
  ['no tools', []],
  ['a name that is no tag', [paint, { ...paint, name: 'paint it' }]],
  ['a name that is the block’s own', [paint, { ...paint, name: 'Action' }]],
  [
    'a parameter named like its tool',
    [{ ...search, inputSchema: { type: 'object', properties: { search: { type: 'string' } } } }],
  ],
])('%s: nothing is constrained', async (_name, tools) => {
  const { connection } = webllm()
  await all(connection.stream({ ...ask('paint'), tools }, model))
  expect(engines[0]?.requests).toHaveLength(1)
  expect(engines[0]?.requests[0]?.response_format).toBeUndefined()
})

test('a response_format from the configuration is kept', async () => {
  const { connection } = webllm()
  const own = { ...model, extraBody: { response_format: { type: 'text' } } }
  await all(connection.stream({ ...ask('paint'), tools: [paint] }, own))
  expect(engines[0]?.requests[0]?.response_format).toEqual({ type: 'text' })
})

/** The stub as a version that refuses a constraint: at once, or when the answer is first read. */
function refusing(error: Error, when: 'at once' | 'when read'): new (config: object) => object {
  return class extends MLCEngine {
    constructor(config: object) {
      super(config)
      const { completions } = this.chat
      const { create } = completions
      completions.create = async (request) => {
        const chunks = await create(request)
        if (!('response_format' in request)) return chunks
        if (when === 'at once') throw error
        return Object.assign(chunks, { next: () => Promise.reject(error) })
      }
    }
  }
}

test.each([
  ['at once', 'InvalidResponseFormatError', 'JSON schema needs type json_object.'],
  ['when read', 'GrammarMatcherInitError', 'Failed to initialize the grammar matcher.'],
] as const)('a constraint refused %s is left out, then and later', async (when, name, words) => {
  const Refusing = refusing(Object.assign(new Error(words), { name }), when)
  const { connection } = connect(webllmDefinition({}, async () => ({ MLCEngine: Refusing })))
  for (let turn = 0; turn < 2; turn++) {
    const parts = await all(connection.stream({ ...ask('paint'), tools: [paint] }, model))
    expect(text(parts)).toContain('</ACTION>')
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  }
  const sent = engines[0]?.requests ?? []
  expect(sent.map((request) => 'response_format' in request)).toEqual([true, false, false])
})

test('after another error, the request is not repeated', async () => {
  const { connection } = webllm()
  const parts = await all(connection.stream({ ...ask('get lost'), tools: [paint] }, model))
  expect(parts.at(-1)).toMatchObject({ type: 'error' })
  expect(engines[0]?.requests).toHaveLength(1)
})

test('a history is converted to the form that WebLLM accepts', async () => {
  const { connection } = webllm()
  const image = { type: 'file', mediaType: 'image/png', data: 'aGk=' } as const
  const request: ModelRequest = {
    tools: [],
    instructions: 'Be brief.',
    trailer: 'It is noon.',
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'Be kind.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      { role: 'system', parts: [{ type: 'text', text: 'The shop closes soon.' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'Hi.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'What is this?' }, image] },
      { role: 'user', parts: [{ type: 'text', text: 'Well?' }] },
    ],
  }
  const parts = await all(connection.stream(request, model))
  expect(parts.at(-1)).toMatchObject({ type: 'finish' })
  const [sent] = engines[0]?.requests ?? []
  expect(sent?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
  expect(sent?.messages[0]?.content).toBe('Be brief.\n\nBe kind.')
  expect(sent?.messages[1]?.content).toContain('The shop closes soon.')
  expect(sent?.messages[3]?.content).toEqual([
    { type: 'text', text: 'What is this?\n\nWell?\n\nIt is noon.' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
  ])
})

test('the load reports progress, and its model is kept for the next turn', async () => {
  const told: unknown[] = []
  const definition = webllmDefinition({ chatOptions: { top_p: 0.5 } }, async () => ({ MLCEngine }))
  const { connection } = connect(definition, {
    onProgress: (_config, progress) => told.push(progress),
  })
  await connection.prepare({ ...model, contextWindow: 1024 })
  await settle()
  expect(told[0]).toEqual({ loaded: 0.1, total: 1, text: 'Loading: 0.1' })
  expect(told.at(-1)).toEqual({ loaded: 1, total: 1, text: 'Loading: 1' })
  await all(connection.stream(ask('paint'), { ...model, contextWindow: 1024 }))
  expect(engines).toHaveLength(1)
  expect(engines[0]?.chatOptions).toEqual({ top_p: 0.5, context_window_size: 1024 })
  await all(connection.stream(ask('paint'), { ...model, model: 'Other-MLC' }))
  expect(engines.map(({ unloaded }) => unloaded ?? false)).toEqual([true, false])
})

test('WebLLM gets appConfig, so that a model of its list loads', async () => {
  const received: unknown[] = []
  /** The stub as the real engine with a list of its own: it loads no model outside of it. */
  class Listed extends MLCEngine {
    readonly #listed: readonly { readonly model_id: string }[]

    constructor(config: { readonly appConfig?: { readonly model_list: { model_id: string }[] } }) {
      super(config)
      received.push('appConfig' in config ? config.appConfig : 'none')
      this.#listed = config.appConfig?.model_list ?? []
    }

    override async reload(modelId: string, chatOptions: unknown): Promise<void> {
      const isListed = this.#listed.some(({ model_id }) => model_id === modelId)
      await super.reload(isListed ? modelId : 'unknown', chatOptions)
    }
  }
  const own = { ...model, model: 'Own-MLC' }
  const load = (options: { appConfig?: typeof appConfig }) =>
    connect(webllmDefinition(options, async () => ({ MLCEngine: Listed }))).connection.prepare(own)
  const appConfig = {
    model_list: [
      {
        model: 'https://models.example/own',
        model_id: 'Own-MLC',
        model_lib: 'https://models.example/own.wasm',
      },
    ],
  }
  await load({ appConfig })
  await expect(load({})).rejects.toMatchObject({ code: 'model-not-found' })
  expect(received).toEqual([appConfig, 'none'])
})

test('an aborted load stops', async () => {
  const { connection } = webllm()
  const stop = new AbortController()
  const prepared = connection.prepare({ ...model, model: 'Huge-MLC' }, stop.signal)
  setTimeout(() => stop.abort(), 10)
  await expect(prepared).rejects.toMatchObject({ code: 'aborted' })
  await settle()
  expect(engines[0]?.unloaded).toBe(true)
})

test('an abort interrupts its turn, and a queued turn continues', async () => {
  const { connection } = webllm()
  const stop = new AbortController()
  const endless = connection.stream(ask('go on forever'), model, stop.signal)
  await endless.next()
  const waiting = all(connection.stream(ask('paint'), model))
  const impatient = new AbortController()
  const left = all(connection.stream(ask('paint'), model, impatient.signal))
  impatient.abort()
  expect(await left).toMatchObject([{ type: 'error', error: { code: 'aborted' } }])
  stop.abort()
  expect((await all(endless)).at(-1)).toMatchObject({ type: 'error', error: { code: 'aborted' } })
  expect((await waiting).at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
})

test.each([
  ['an unknown model', ask('hi'), { model: 'nothing' }, 'model-not-found'],
  ['a full context', ask('x'.repeat(9000)), { contextWindow: 1024 }, 'context-overflow'],
])('%s is a typed error', async (_name, request, more, code) => {
  const { connection } = webllm()
  const parts = await all(connection.stream(request, { ...model, ...more }))
  expect(parts).toMatchObject([{ type: 'error', error: { code, retryable: false } }])
})

// The words are Chromium's: of a private window that refuses a file of 400 MB, and of a full disk.
test.each([
  [
    'UnknownError',
    "Failed to execute 'add' on 'Cache': Unexpected internal error.",
    'storage-failed',
  ],
  ['QuotaExceededError', "Failed to execute 'add' on 'Cache': Quota exceeded.", 'storage-full'],
])(
  'when the browser does not store the model (%s), the error explains it',
  async (name, words, code) => {
    class Refusing extends MLCEngine {
      override reload(): Promise<void> {
        return Promise.reject(new DOMException(words, name))
      }
    }
    const { connection } = connect(webllmDefinition({}, async () => ({ MLCEngine: Refusing })))
    await expect(connection.prepare(model)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(
        /^The browser could not store the model's files\. Use a normal window/,
      ),
      retryable: false,
    })
  },
)

test('after a lost GPU, the model is loaded again', async () => {
  const { connection } = webllm()
  const parts = await all(connection.stream(ask('get lost'), model))
  expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code: 'provider-error' } })
  const noticed = await all(connection.stream(ask('paint'), model))
  expect(noticed.at(-1)).toMatchObject({ type: 'error', error: { retryable: true } })
  const again = await all(connection.stream(ask('paint'), model))
  expect(again.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  expect(engines.map(({ unloaded }) => unloaded ?? false)).toEqual([true, false])
})

test('dispose unloads the model', async () => {
  const { connection, definition } = webllm()
  await connection.prepare(model)
  await definition.dispose?.()
  expect(engines[0]?.unloaded).toBe(true)
})
