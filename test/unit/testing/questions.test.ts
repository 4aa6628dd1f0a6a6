import { afterEach, describe, expect, it } from 'vitest'
import type { FieldsSchema, JsonObject, QuestionAnswer, Run } from '../../../src/index.ts'

import type { StreamPart } from '../../../src/protocol/message.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'

const agents: { dispose(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.dispose()))
})

const fields = {
  type: 'object',
  properties: {
    email: { type: 'string', title: 'E-mail', format: 'email' },
    seats: { type: 'integer', minimum: 1, default: 2 },
    menu: { type: 'string', enum: ['fish', 'vegan'] },
    extras: { type: 'array', items: { type: 'string', enum: ['wine', 'bread'] } },
  },
  required: ['email'],
} as const satisfies FieldsSchema

const form = { question: 'For whom is the table?', fields }
const given = { email: 'ann@example.org', seats: 2, extras: ['bread'] }

/** A turn of the model: the input of a call of `ask_user`, or text. */
type Turn = JsonObject | string

let calls = 0
function partsOf(turn: Turn): StreamPart[] {
  if (typeof turn === 'string')
    return [
      { type: 'text-delta', delta: turn },
      { type: 'finish', finishReason: 'stop' },
    ]
  const call = { toolCallId: `call-${++calls}`, toolName: 'ask_user', input: turn }
  return [
    { type: 'tool-call', ...call },
    { type: 'finish', finishReason: 'tool-calls' },
  ]
}

type Options = Parameters<typeof createTestAgent>[0]

/** An agent whose model says this, and what the model was asked. */
function asking(turns: readonly Turn[], options: Partial<Options> = {}) {
  const left = [...turns]
  const asked: ModelRequest[] = []
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream(request) {
      asked.push(request)
      yield partsOf(left.shift() ?? 'Nothing left.')
    },
  }
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'm' },
    providers: [provider],
    controlTools: ['ask_user'],
    questionFields: true,
    ...options,
  })
  agents.push(agent)
  const chat = agent.conversation('talk')
  chat.subscribe(() => undefined)
  return { agent, chat, asked }
}

type Asking = ReturnType<typeof asking>

/** The run that waits with its question, and the way to answer it. */
async function waiting(turns: readonly Turn[], options?: Partial<Options>) {
  const on = asking(turns, options)
  const run = on.chat.send('A table')
  return { ...on, run, answer: await questionOf(on) }
}

async function questionOf({ chat }: Asking) {
  await until(() => chat.getSnapshot().pending.length === 1)
  const [call] = chat.getSnapshot().pending
  return (answer: string | QuestionAnswer) => chat.answer(call?.toolCallId ?? '', answer)
}

const statusOf = async (run: Run): Promise<unknown> => (await run.result).toolCalls[0]?.status

describe('a question with fields', () => {
  it('is shown, and its answer is passed to the model', async () => {
    const { agent, answer, asked, chat, run } = await waiting([form, 'Booked.'])
    const question = { question: form.question, fields }
    expect(chat.getSnapshot().pending).toMatchObject([{ kind: 'answer', question }])
    expect(chat.getSnapshot().messages.at(-1)?.calls).toMatchObject([{ question }])
    expect(await answer({ action: 'accept', content: given })).toBe(true)
    expect(await answer({ action: 'accept', content: given })).toBe(false)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Booked.',
      toolCalls: [{ status: 'succeeded', output: { type: 'json', value: given } }],
    })
    const events: unknown[] = []
    for await (const event of run) if (event.type === 'question') events.push(event)
    expect(events).toMatchObject([question])
    expect(events[0]).not.toHaveProperty('sensitive')
    expect(JSON.stringify(asked[1]?.messages)).toContain('ann@example.org')
    const stored = await agent.conversations.get('talk')
    expect(stored?.messages.find(({ role }) => role === 'tool')?.parts).toMatchObject([
      { output: { type: 'json', value: given } },
    ])
  })

  it('stays open after an invalid answer, with an error for each field', async () => {
    const { answer, chat, run } = await waiting([form, 'Booked.'])
    const content = { seats: 0, menu: 'meat', extras: ['wine', 'wine'], nmae: 'Ann' }
    await expect(answer({ action: 'accept', content })).rejects.toMatchObject({
      code: 'invalid-input',
      message:
        "The answer doesn't fit: 'email' is missing; 'seats' must be 1 or more; 'menu' must be one of the values that are offered; 'extras' must have each value once; 'nmae' is none of the fields.",
      details: {
        fields: [
          { field: 'email', problem: 'is missing' },
          { field: 'seats', problem: 'must be 1 or more' },
          { field: 'menu' },
          { field: 'extras' },
          { field: 'nmae' },
        ],
      },
    })
    await expect(answer({ action: 'accept' })).rejects.toMatchObject({ code: 'invalid-input' })
    await expect(answer('ann@example.org')).rejects.toMatchObject({
      code: 'invalid-input',
      message: /asks for fields/,
    })
    expect(chat.getSnapshot()).toMatchObject({ status: 'waiting', pending: [{ kind: 'answer' }] })
    expect(await answer({ action: 'accept', content: { email: 'ann@example.org' } })).toBe(true)
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ output: { value: { email: 'ann@example.org' } } }],
    })
  })

  it.each([
    [{ action: 'decline' }, /does not want to answer/],
    [{ action: 'cancel' }, /closed the question/],
  ] as const)('treats %j as a denial and reports it', async (said, reason) => {
    for (const input of [form, { question: 'Which?', options: ['a'] }]) {
      const { answer, chat, run } = await waiting([input, 'Well.'])
      expect(await answer(said)).toBe(true)
      expect(await answer('late')).toBe(false)
      expect(await run.result).toMatchObject({
        outcome: 'completed',
        toolCalls: [{ status: 'denied', output: { type: 'denied', reason } }],
      })
      expect(chat.getSnapshot().pending).toEqual([])
    }
  })

  it('accepts an answer without the fields that a form left undefined', async () => {
    const { answer, run } = await waiting([form, 'Booked.'])
    const content = { email: 'a@b.de', menu: undefined } as unknown as typeof given
    expect(await answer({ action: 'accept', content })).toBe(true)
    expect((await run.result).toolCalls[0]?.output).toEqual({
      type: 'json',
      value: { email: 'a@b.de' },
    })
  })

  it.each([
    null,
    undefined,
    5,
    {},
    { action: 'agree' },
    { action: 'accept', content: 'a@b.de' },
    { action: 'accept', content: ['a@b.de'] },
    { action: 'accept', content: new FormData() },
    { action: 'accept', content: { email: new Date() } },
    { action: 'accept', content: { email: () => 'a@b.de' } },
  ])('refuses the invalid answer %j', async (said) => {
    const { answer, chat } = await waiting([form, 'Booked.'])
    await expect(answer(said as QuestionAnswer)).rejects.toMatchObject({ code: 'invalid-input' })
    expect(chat.getSnapshot().pending).toHaveLength(1)
  })

  it('must have fields for content; a text question refuses it', async () => {
    const { answer, run } = await waiting([{ question: 'Which?' }, 'Fine.'])
    await expect(answer({ action: 'accept', content: {} })).rejects.toMatchObject({
      code: 'invalid-input',
      message: /answer with a text/,
    })
    expect(await answer('This.')).toBe(true)
    expect(await statusOf(run)).toBe('succeeded')
  })

  it('reports which fields seem to ask for a secret', async () => {
    const properties = {
      name: { type: 'string' },
      userPassword: { type: 'string' },
      code: { type: 'string', title: 'Card number' },
      p: { type: 'string', description: 'Your PIN, please' },
      spinach: { type: 'boolean' },
      secretary: { type: 'string' },
      api_key: { type: 'string' },
      kennwort: { type: 'string' },
    } as const
    const { chat, run, answer } = await waiting([
      { question: 'Who are you?', fields: { type: 'object', properties } },
      'Hm.',
    ])
    const sensitive = ['userPassword', 'code', 'p', 'api_key', 'kennwort']
    expect(chat.getSnapshot().pending[0]?.question?.sensitive).toEqual(sensitive)
    await answer({ action: 'decline' })
    await run.result
    const events: unknown[] = []
    for await (const event of run) if (event.type === 'question') events.push(event.sensitive)
    expect(events).toEqual([sensitive])
  })
})

describe('a question that cannot be shown', () => {
  const manyOptions = Array.from({ length: 101 }, (_, at) => `${at}`)
  const named = (name: string): JsonObject =>
    JSON.parse(`{"type":"object","properties":{"${name}":{"type":"string"}}}`) as JsonObject

  it.each<readonly [JsonObject, RegExp]>([
    [{ question: 'Q', fields: 'email' }, /'fields' must be object/],
    [{ question: 'Q', fields: { type: 'object' } }, /fields: must have properties/],
    [{ question: 'Q', fields: { email: { type: 'string' } } }, /fields: .*must have properties/],
    [
      {
        question: 'Q',
        fields: { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
      },
      /fields: 'a' has 'pattern'/,
    ],
    [{ question: 'Q', fields: named('__proto__') }, /fields: '__proto__' can't be a name/],
    [{ question: 'Q', fields, options: ['a'] }, /options or fields, not both/],
    [{ question: 'Q', options: manyOptions }, /options are more than 100/],
    [{ question: 'Q', options: ['x'.repeat(1001)] }, /an option has more than 1000/],
    [{ question: 'x'.repeat(10_001) }, /question has more than 10000/],
  ])('with %j is invalid, and the model corrects it', async (wrong, words) => {
    const { answer, asked, run } = await waiting([wrong, form, 'Booked.'])
    expect(JSON.stringify(asked[1]?.messages)).toContain('Invalid parameters for ask_user')
    await answer({ action: 'accept', content: given })
    expect((await run.result).toolCalls).toMatchObject([
      { status: 'invalid', output: { code: 'invalid_params', message: words } },
      { status: 'succeeded' },
    ])
  })

  it('with deep nesting is invalid too', async () => {
    let deep: JsonObject = { type: 'string' }
    for (let depth = 0; depth < 400; depth++) deep = { type: 'object', properties: { a: deep } }
    const { answer, run } = await waiting([{ question: 'Q', fields: deep }, form, 'Booked.'])
    await answer({ action: 'accept', content: given })
    expect((await run.result).toolCalls).toMatchObject([
      { status: 'invalid' },
      { status: 'succeeded' },
    ])
  })

  it('is valid if its extra parameters are empty, as some models send them', async () => {
    for (const empty of [
      {},
      { type: 'object', properties: {} },
      { properties: {}, required: [] },
    ]) {
      const { answer, chat, run } = await waiting([
        { question: 'Q', options: ['a'], fields: empty },
        'Fine.',
      ])
      expect(chat.getSnapshot().pending[0]?.question).toEqual({ question: 'Q', options: ['a'] })
      expect(await answer('a')).toBe(true)
      expect(await statusOf(run)).toBe('succeeded')
    }
    const { chat } = await waiting([{ ...form, options: [] }, 'Fine.'])
    expect(chat.getSnapshot().pending[0]?.question).toEqual(form)
  })

  it('is invalid in one-shot mode too', async () => {
    const wrong = { question: 'Q', fields: named('toString') }
    const { chat } = asking([wrong], { maxSteps: 0 })
    expect(await chat.send('A table').result).toMatchObject({
      toolCalls: [{ status: 'invalid' }],
    })
  })

  it('has an unknown parameter when questionFields is off', async () => {
    const { asked, chat } = asking([form, 'Well.'], { questionFields: false })
    expect((await chat.send('A table').result).toolCalls).toMatchObject([
      { status: 'invalid', output: { message: /unknown parameter 'fields'/ } },
    ])
    expect(JSON.stringify(asked[0]?.tools)).not.toContain('fields')
  })
})

describe('a waiting question', () => {
  it('survives a reload unchanged', async () => {
    const testStorage = createTestStorage()
    const before = await waiting([form], { testStorage })
    await expect(before.answer({ action: 'accept' })).rejects.toThrow('email')
    await before.agent.dispose()
    simulateReload()

    const on = asking(['Booked.'], { testStorage })
    const answer = await questionOf(on)
    expect(on.chat.getSnapshot().pending).toMatchObject([{ kind: 'answer', question: form }])
    // The answer resumes the run: nobody else has.
    await expect(answer({ action: 'accept', content: { seats: 1 } })).rejects.toMatchObject({
      code: 'invalid-input',
    })
    expect(await answer({ action: 'accept', content: given })).toBe(true)
    await until(() => on.chat.getSnapshot().ended !== undefined)
    expect(on.chat.getSnapshot()).toMatchObject({ ended: { outcome: 'completed' }, pending: [] })
    expect(JSON.stringify(on.asked[0]?.messages)).toContain('ann@example.org')
  })

  it('accepts one of two answers', async () => {
    const { answer, run } = await waiting([form, 'Booked.'])
    const both = await Promise.all([
      answer({ action: 'accept', content: given }),
      answer({ action: 'decline' }),
      answer({ action: 'accept', content: { email: 'b@c.de' } }),
    ])
    expect(both).toEqual([true, false, false])
    expect(await statusOf(run)).toBe('succeeded')
  })

  it('ignores a wrong answer beside a right one', async () => {
    const { answer, run } = await waiting([form, 'Booked.'])
    const [wrong, right] = await Promise.allSettled([
      answer({ action: 'accept', content: { email: 'ann' } }),
      answer({ action: 'accept', content: given }),
    ])
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'invalid-input' } })
    expect(right).toEqual({ status: 'fulfilled', value: true })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Booked.' })
  })

  it('ends with an abort, and a simultaneous answer is refused', async () => {
    for (const said of [
      { action: 'accept', content: given },
      { action: 'accept', content: { email: 'ann' } },
      { action: 'decline' },
    ] as const) {
      const { answer, chat, run } = await waiting([form, 'Never.'])
      run.abort('enough')
      const late = answer(said).catch((error: { readonly code: string }) => error.code)
      expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
      expect(await late).toBe(false)
      // The handle ends at once, whether or not the worker has come to it.
      await until(() => chat.getSnapshot().ended)
      expect(chat.getSnapshot().messages.flatMap(({ calls = [] }) => calls)).toMatchObject([
        { status: 'aborted' },
      ])
      expect(chat.getSnapshot().pending).toEqual([])
      expect(await answer(said)).toBe(false)
    }
  })

  it('is not answered by a message: it waits, and now ends the question', async () => {
    const { answer, asked, chat, run } = await waiting([form, 'Booked.'])
    const message = run.send(JSON.stringify(given))
    await until(() => chat.getSnapshot().queued.length === 1)
    expect(chat.getSnapshot().pending).toHaveLength(1)
    expect(asked).toHaveLength(1)
    expect(await answer({ action: 'accept', content: given })).toBe(true)
    expect(await message.outcome).toEqual({ status: 'delivered' })
    expect(await statusOf(run)).toBe('succeeded')

    const other = await waiting([form, 'As you wish.'])
    other.run.send('Never mind', { when: 'now' })
    expect(await other.run.result).toMatchObject({
      text: 'As you wish.',
      toolCalls: [{ status: 'aborted', output: { reason: /wrote a message/ } }],
    })
    expect(await other.answer({ action: 'accept', content: given })).toBe(false)
  })

  it('checks answers to several questions against their own fields', async () => {
    const other = { ...form, fields: { type: 'object', properties: { on: { type: 'boolean' } } } }
    const on = createTestAgent({
      controlTools: ['ask_user'],
      questionFields: true,
      script: {
        steps: [
          {
            toolCalls: [
              { toolName: 'ask_user', input: form },
              { toolName: 'ask_user', input: other },
            ],
          },
          { text: 'Both.' },
        ],
      },
    })
    agents.push(on)
    const chat = on.conversation('talk')
    chat.subscribe(() => undefined)
    const run = chat.send('A table')
    await until(() => chat.getSnapshot().pending.length === 2)
    const [first, second] = chat.getSnapshot().pending
    if (!first || !second) throw new Error('Two questions wait.')
    const off = { action: 'accept', content: { on: false } } as const
    await expect(chat.answer(first, off)).rejects.toThrow("'on' is none of the fields")
    expect(await chat.answer(second, off)).toBe(true)
    expect(await chat.answer(first, { action: 'accept', content: given })).toBe(true)
    expect((await run.result).toolCalls.map(({ output }) => output)).toEqual([
      { type: 'json', value: given },
      { type: 'json', value: { on: false } },
    ])
  })
})

describe('questions in ACTION mode', () => {
  const block = (inner: string): string =>
    `I need to know.\n<ACTION>\n<ask_user>\n<question>For whom?</question>\n${inner}\n</ask_user>\n</ACTION>`
  const model = { provider: 'listed', model: 'm', toolMode: 'action' } as const
  const json = JSON.stringify(fields)

  it('are read as the prompt says to write fields', async () => {
    const { answer, asked, chat, run } = await waiting(
      [block(`<fields>${json}</fields>`), 'Booked.'],
      {
        model,
      },
    )
    const prompt = String(asked[0]?.instructions)
    expect(prompt).toContain('fields (object, optional): Instead of options')
    const example = /for example (\{.*?\}\}, "?required|\{.*?"required":\[[^\]]*\]\})/.exec(prompt)
    expect(JSON.parse(example?.[1] ?? '')).toMatchObject({ type: 'object', required: ['email'] })
    // An empty form would be a bad example.
    expect(prompt).not.toMatch(/<fields>\s*<\/fields>/)
    expect(chat.getSnapshot().pending[0]?.question?.fields).toEqual(fields)
    await answer({ action: 'accept', content: given })
    expect(await statusOf(run)).toBe('succeeded')
    expect(JSON.stringify(asked[1]?.messages)).toContain('Tool ask_user succeeded. Result:')
  })

  it.each([
    ['JSON in CDATA', `<fields><![CDATA[${json}]]></fields>`],
    ['JSON over several lines', `<fields>\n${JSON.stringify(fields, null, 2)}\n</fields>`],
  ])('are read from %s', async (_name, inner) => {
    const { chat } = await waiting([block(inner)], { model })
    expect(chat.getSnapshot().pending[0]?.question?.fields).toEqual(fields)
  })

  it('are read from elements of texts and lists; otherwise the model gets corrections', async () => {
    const properties =
      '<properties><menu><type>string</type><enum>fish</enum><enum>vegan</enum></menu></properties>'
    const { chat } = await waiting([block(`<fields><type>object</type>${properties}</fields>`)], {
      model,
    })
    expect(chat.getSnapshot().pending[0]?.question?.fields).toEqual({
      type: 'object',
      properties: { menu: { type: 'string', enum: ['fish', 'vegan'] } },
    })
    const number = '<properties><n><type>integer</type><minimum>1</minimum></n></properties>'
    const wrong = `<fields><type>object</type>${number}<required>n</required></fields>`
    const mended = await waiting([block(wrong), block(`<fields>${json}</fields>`)], { model })
    const told = JSON.stringify(mended.asked[1]?.messages)
    expect(told).toContain("'n' has a wrong minimum: it must be a number")
    expect(told).toContain('must have in required a list of names')
  })
})
