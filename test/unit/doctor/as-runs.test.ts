import { expect, onTestFinished, test } from 'vitest'
import { defineTool } from '../../../src/client/api/entry.ts'
import type { ModelConfig } from '../../../src/client/api/options.ts'
import { diagnose } from '../../../src/providers/doctor/diagnose.ts'
import { probeTool } from '../../../src/providers/doctor/probe-model.ts'
import type { Check, CheckName } from '../../../src/providers/doctor/examination.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import {
  callStream,
  chatRoute,
  chatStream,
  obedient,
  serve,
  type Asked,
  type Reply,
  type Route,
} from './small-server.ts'

// Compares the doctor's verdict on a server with the outcome of a run.

interface Compared {
  readonly ok: boolean
  readonly check: (name: CheckName) => Check | undefined
  /** The bodies of the doctor's requests with a conversation. */
  readonly asked: readonly Asked['body'][]
  /** How a run of an agent with instructions and the probe's tool went. */
  readonly outcome: string
  readonly toolRan: boolean
}

async function compare(route: Route, config: ModelConfig): Promise<Compared> {
  const { origin, asked } = await serve(route)
  const isMessages = config.provider === 'anthropic' || config.provider === 'minimax'
  const model = { ...config, model: 'm', baseURL: isMessages ? origin : `${origin}/v1` }
  const { ok, checks } = await diagnose(model)
  const probes = asked.map(({ body }) => body).filter(({ messages }) => Array.isArray(messages))
  let toolRan = false
  const agent = createTestAgent({
    model: { ...model, retry: { maxRetries: 0 } },
    instructions: 'Be kind.',
    tools: [
      defineTool({
        name: probeTool.name,
        description: 'Reports a number.',
        inputSchema: probeTool.inputSchema,
        execute: () => {
          toolRan = true
          return 'done'
        },
      }),
    ],
  })
  onTestFinished(() => agent.dispose())
  const { outcome } = await agent.run('Call it with 7.', { maxSteps: 2 }).result
  const check: Compared['check'] = (name) => checks.find((one) => one.name === name)
  return { ok, check, asked: probes, outcome, toolRan }
}

const chat =
  (config: Partial<ModelConfig> = {}) =>
  (answer: Route): Promise<Compared> =>
    compare(chatRoute(['m'], { answer }), {
      provider: 'openai-compatible',
      model: 'm',
      ...config,
    })

const event = (data: { readonly type: string; readonly error?: object }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** An answer of Anthropic's format with one block. */
function messageStream(block: object | undefined, delta: object, stop: string): string {
  const blocks = [
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
  ]
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {} }
  return [
    { type: 'message_start', message },
    ...(block ? blocks : []),
    { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
    .map(event)
    .join('')
}

const textMessage = (text: string, stop = 'end_turn'): string =>
  messageStream({ type: 'text', text: '' }, { type: 'text_delta', text }, stop)

const callMessage = (name: string): string =>
  messageStream(
    { type: 'tool_use', id: 'toolu_1', name, input: {} },
    { type: 'input_json_delta', partial_json: '{"value":7}' },
    'tool_use',
  )

const messages =
  (provider: 'anthropic' | 'minimax') =>
  (first: string): Promise<Compared> =>
    compare(
      ({ path, body }) => {
        if (!path.endsWith('/v1/messages')) return undefined
        if (!Array.isArray(body['messages']))
          return { status: 400, json: { type: 'error', error: { type: 'invalid_request_error' } } }
        return { sse: body['messages'].length > 1 ? textMessage('done') : first }
      },
      { provider, model: 'm' },
    )

/** Says `first`, and `done` once it has the result of a call. */
const replying =
  (first: string): Route =>
  ({ body }) => ({
    sse: JSON.stringify(body['messages']).includes('"role":"tool"')
      ? chatStream([{ content: 'done' }])
      : first,
  })

const hermes = '<tool_call>\n{"name": "report_number", "arguments": {"value": 7}}\n</tool_call>'
const pythonic = '[report_number(value=7)]'
const invoke =
  '<function_calls><invoke name="report_number"><parameter name="value">7</parameter></invoke></function_calls>'

test.each([hermes, pythonic])('a call as text, %j: no run with openai reads it', async (text) => {
  const answer = replying(chatStream([{ content: text }]))
  const dependable = await chat({ provider: 'openai' })(answer)
  expect(dependable).toMatchObject({ ok: false, toolRan: false })
  expect(dependable.check('tools')?.status).toBe('failed')
  expect(dependable.check('tools')?.message).toContain("With provider 'openai' it isn't run.")
  expect(dependable.check('tools')?.fix).toContain("toolMode 'action'")
  const local = await chat()(answer)
  expect(local).toMatchObject({ ok: true, toolRan: true })
  expect(local.check('tools')?.message).toContain('Runs can read it.')
})

test.each(['anthropic', 'minimax'] as const)(
  'a call as text: no run with %s reads it',
  async (provider) => {
    for (const text of [hermes, invoke]) {
      const seen = await messages(provider)(textMessage(text))
      expect(seen).toMatchObject({ ok: false, toolRan: false })
      expect(seen.check('tools')?.message).toContain(`With provider '${provider}' it isn't run.`)
    }
  },
)

test.each(['reportNumber', 'functions.report_number', 'Report-Number', 'report_number'])(
  'the name %s means the same tool for runs and for the doctor',
  async (name) => {
    const seen = await Promise.all([
      chat()(replying(callStream(name, '{"value":7}'))),
      messages('anthropic')(callMessage(name)),
      messages('minimax')(callMessage(name)),
    ])
    for (const { ok, toolRan, outcome, check } of seen) {
      expect({ ok, toolRan, outcome }).toEqual({ ok: true, toolRan: true, outcome: 'completed' })
      expect(check('tools')?.status).toBe('ok')
    }
  },
)

test.each(['System role not supported', "messages[0]: unexpected role 'system'"])(
  'a server without system messages gets the instructions in the first message: %s',
  async (message) => {
    const refusing: Route = (asked) =>
      JSON.stringify(asked.body['messages']).includes('"role":"system"')
        ? { status: 400, json: { error: { message } } }
        : obedient(asked)
    const { ok, toolRan, check } = await chat()(refusing)
    expect({ ok, toolRan }).toEqual({ ok: true, toolRan: true })
    expect(check('answer')).toMatchObject({ status: 'ok' })
  },
)

test('the doctor sends one request, with a call and a system message', async () => {
  const { asked } = await chat()(replying(callStream('report_number', '{"value":7}')))
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] })
})

test.each<readonly [words: string, Reply]>([
  ['Rate limit', { status: 429, json: { error: { message: 'Rate limit reached' } } }],
  ['Loading model', { status: 503, json: { error: { message: 'Loading model', code: 503 } } }],
])('a model that only answers %s counts as failed', async (words, reply) => {
  const { ok, outcome, check } = await chat()(() => reply)
  expect({ ok, outcome }).toEqual({ ok: false, outcome: 'failed' })
  expect(check('answer')).toMatchObject({ status: 'warning' })
  expect(check('answer')?.message).toContain('The model has not answered yet: ')
  expect(check('answer')?.message).toContain(words)
})

test('an overloaded model in the stream is a warning', async () => {
  const error = { type: 'overloaded_error', message: 'Overloaded' }
  const { ok, check } = await messages('anthropic')(event({ type: 'error', error }))
  expect({ ok, status: check('answer')?.status }).toEqual({ ok: false, status: 'warning' })
})

test.each([
  ['nothing', chatStream([{ content: '' }]), 'gave an empty answer'],
  ['white space', chatStream([{ content: ' \n' }]), 'gave an empty answer'],
  ['thoughts', chatStream([{ reasoning_content: 'Hm.' }]), 'only thought'],
  ['thoughts in the text', chatStream([{ content: '<think>Hm.</think>' }]), 'only thought'],
  ['a filter', chatStream([{ content: '' }], 'content_filter'), 'refused to answer'],
  ['words', chatStream([{ content: 'Seven.' }]), 'answered in words'],
])('%s in place of a call is reported in the message', async (_, first, words) => {
  const { check, toolRan } = await chat()(replying(first))
  expect({ status: check('tools')?.status, toolRan }).toEqual({ status: 'warning', toolRan: false })
  expect(check('tools')?.message).toContain(words)
})

test('a refusal and a pause in Anthropic’s format are reported', async () => {
  const refusal = await messages('anthropic')(messageStream(undefined, {}, 'refusal'))
  expect(refusal.check('tools')?.message).toContain('refused to answer')
  const pause = await messages('anthropic')(textMessage('Wait.', 'pause_turn'))
  expect(pause.check('tools')?.message).toContain('paused before it called')
})

test('tools refused behind a vendor’s name: the error text reveals the server', async () => {
  const message = 'tools param requires --jinja flag'
  const { check } = await chat({ provider: 'openai' })((asked) =>
    asked.body['tools'] ? { status: 500, json: { error: { message } } } : obedient(asked),
  )
  expect(check('tools')?.fix).toContain('start llama-server with --jinja')
})
