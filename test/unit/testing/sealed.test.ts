import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import {
  type AgentOptions,
  defineTool,
  pending,
  type RunEvent,
  type Tool,
} from '../../../src/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { answer } from './talk.ts'

// A random secret that only the model's first answer holds is looked for in all that comes of it.

type Storage = ReturnType<typeof createTestStorage>

const LOGIN = {
  type: 'object',
  properties: {
    user: { type: 'string' },
    password: { type: 'string', maxLength: 60, pattern: '^[^[]' },
  },
  required: ['password'],
} as const

const login = (execute: (input: object) => unknown, more: Partial<Tool> = {}): Tool =>
  ({
    name: 'login',
    description: 'Logs in.',
    inputSchema: LOGIN,
    secretsIn: () => ['/password'],
    execute,
    ...more,
  }) as Tool

/** The store's content, as text. */
async function stored(storage: Storage): Promise<string> {
  const store = await storage.open('offstage')
  const all = (await store.list()).records.map(async (record) => [
    record,
    (await store.read(record.conversationId)).rows,
  ])
  return JSON.stringify(await Promise.all(all))
}

interface Watched {
  readonly storage: Storage
  readonly requests: string[]
  readonly shown: unknown[]
}

const watched = (): Watched => ({ storage: createTestStorage(), requests: [], shown: [] })

/** An agent of which everything that it shows is kept. */
function watch(
  { storage, requests, shown }: Watched,
  turns: readonly (readonly StreamPart[])[],
  options: Partial<AgentOptions> & { readonly toolMode?: 'native' | 'action' } = {},
) {
  const { toolMode = 'native', ...rest } = options
  const left = [...turns]
  const provider: StreamProviderDefinition = {
    id: 'watched',
    async *stream(request) {
      requests.push(JSON.stringify(request))
      for (const part of left.shift() ?? answer('Nothing left.')) yield [part]
    },
  }
  const agent = createTestAgent({
    model: { provider: 'watched', model: 'm', toolMode },
    providers: [provider],
    testStorage: storage,
    ...rest,
  })
  agent.on('warning', (event) => shown.push(event))
  const chat = agent.conversation('talk')
  chat.subscribe(() => shown.push(chat.getSnapshot()))
  const ask = async (options_ = {}) => {
    const run = chat.send('Log in, please.', options_)
    for await (const event of run as AsyncIterable<RunEvent>) shown.push(event)
    const result = await run.result
    shown.push(result)
    return result
  }
  return { agent, chat, ask }
}

async function expectNowhere(secret: string, { storage, requests, shown }: Watched) {
  expect(await stored(storage)).not.toContain(secret)
  expect(JSON.stringify(requests)).not.toContain(secret)
  expect(JSON.stringify(shown)).not.toContain(secret)
  expect(await stored(storage)).toContain('[sealed value 1 of')
}

const calls = (input: object, ...more: StreamPart[]): StreamPart[] => [
  { type: 'tool-input-start', toolCallId: 'p1', toolName: 'login' },
  { type: 'tool-input-delta', toolCallId: 'p1', delta: JSON.stringify(input) },
  { type: 'tool-call', toolCallId: 'p1', toolName: 'login', input: input as never },
  ...more,
  {
    type: 'finish',
    finishReason: 'tool-calls',
    providerMetadata: { watched: { content: [{ type: 'tool_use', input: input as never }] } },
  },
]

const asAction = (input: object): StreamPart[] =>
  answer(
    `On it.\n<ACTION><login>${Object.entries(input)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join('')}</login></ACTION>`,
  )

test.each(['native', 'action'] as const)(
  'a secret is passed to the tool and appears nowhere else (%s mode)',
  async (toolMode) => {
    const secret = randomUUID()
    const all = watched()
    const got = vi.fn((_input: object) => ({ said: `Logged in with ${secret}.` }))
    const input = { user: 'ada', password: secret }
    const turn = toolMode === 'native' ? calls(input) : asAction(input)
    const { agent, ask } = watch(all, [turn, answer('Done.'), answer('Again.')], {
      toolMode,
      tools: [login(got)],
    })
    expect(await ask()).toMatchObject({ outcome: 'completed', text: 'Done.' })
    expect(got).toHaveBeenCalledExactlyOnceWith(input, expect.anything())
    await agent.conversations.fork('talk')
    await ask()
    all.shown.push(await new Response(await agent.conversations.export()).text())
    await agent.dispose()
    simulateReload()
    const after = watch(all, [answer('Hello again.')], { toolMode, tools: [login(got)] })
    await after.ask()
    expect(all.requests).toHaveLength(4)
    expect(all.requests.at(-1)).toContain('ada')
    await expectNowhere(secret, all)
    await after.agent.dispose()
  },
)

test('repeats of a secret in the same step become placeholders, and calls get its value', async () => {
  const secret = `${randomUUID()} "<&`
  const all = watched()
  const noted: unknown[] = []
  const note = defineTool({
    name: 'note',
    description: 'Notes.',
    jsonSchema: { type: 'object', properties: { text: { type: 'string' } } },
    execute: (input) => void noted.push(input),
  })
  const also: StreamPart = {
    type: 'tool-call',
    toolCallId: 'n1',
    toolName: 'note',
    input: { text: `It is ${secret}` },
  }
  const turn: StreamPart[] = [
    { type: 'reasoning-delta', delta: `The password is ${secret}.` },
    { type: 'text-delta', delta: `I type ${secret}.` },
    ...calls({ password: secret }, also),
  ]
  const { agent, chat, ask } = watch(all, [turn, answer('Done.')], {
    tools: [login(() => 'in'), note],
  })
  await ask()
  expect(noted).toEqual([{ text: `It is ${secret}` }])
  // Snapshots taken while the text streamed don't count: the secret wasn't known yet.
  all.shown.length = 0
  all.shown.push(chat.getSnapshot())
  expect(await stored(all.storage)).not.toContain(JSON.stringify(secret).slice(1, -1))
  await expectNowhere(secret.slice(0, 36), all)
  await agent.dispose()
})

test("the approval hides the secret, and the person's edit is hidden too", async () => {
  const [secret, edited] = [randomUUID(), randomUUID()]
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const { agent, chat, ask } = watch(all, [calls({ user: 'ada', password: secret })], {
    tools: [login(got, { needsApproval: true })],
  })
  const ended = ask()
  await until(() => chat.getSnapshot().pending.length === 1)
  const [asked] = chat.getSnapshot().pending
  expect(asked?.input).toEqual({ user: 'ada', password: '[sealed value 1 of p1]' })
  await expect(
    chat.approve('p1', { input: { user: 'ada', password: edited.repeat(3) } }),
  ).rejects.toMatchObject({ code: 'invalid-input' })
  await chat.approve('p1', { input: { user: 'bob', password: edited } })
  await ended
  expect(got).toHaveBeenCalledExactlyOnceWith({ user: 'bob', password: edited }, expect.anything())
  await expectNowhere(secret, all)
  await expectNowhere(edited, all)
  await agent.dispose()
})

test('when a person keeps the placeholder, the call keeps the secret', async () => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const { agent, chat, ask } = watch(all, [calls({ user: 'ada', password: secret })], {
    tools: [login(got, { needsApproval: true })],
  })
  const ended = ask()
  await until(() => chat.getSnapshot().pending.length === 1)
  const input = chat.getSnapshot().pending[0]?.input as object
  await chat.approve('p1', { input: { ...input, user: 'bob' } })
  await ended
  expect(got).toHaveBeenCalledExactlyOnceWith({ user: 'bob', password: secret }, expect.anything())
  // Nothing else is hidden, even if the placeholder isn't what the schema allows.
  expect(JSON.stringify(chat.getSnapshot().messages)).toContain('bob')
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('after a reload the secret is gone: the call fails without asking or running', async () => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const tools = [login(got, { needsApproval: true })]
  const { chat, ask } = watch(all, [calls({ password: secret })], { tools })
  void ask()
  await until(() => chat.getSnapshot().pending.length === 1)
  simulateReload()
  const after = watch(all, [answer('I see.')], { tools })
  const run = await after.agent.resume('talk')
  expect(await run?.result).toMatchObject({
    outcome: 'completed',
    toolCalls: [{ status: 'failed', output: { type: 'error', code: 'not-kept' } }],
  })
  expect(got).not.toHaveBeenCalled()
  await expectNowhere(secret, all)
  await after.agent.dispose()
})

test('a placeholder that the model copies into another call reveals nothing', async () => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const noted = vi.fn()
  const note = defineTool({
    name: 'note',
    description: 'Notes.',
    jsonSchema: { type: 'object', properties: { text: { type: 'string' } } },
    execute: noted,
  })
  const copy = (toolName: string, input: object): StreamPart[] => [
    { type: 'tool-call', toolCallId: toolName, toolName, input: input as never },
    { type: 'finish', finishReason: 'tool-calls' },
  ]
  const seal = '[sealed value 1 of p1]'
  const { agent, ask } = watch(
    all,
    [
      calls({ password: secret }),
      copy('login', { password: seal }),
      copy('note', { text: seal }),
      answer('Done.'),
    ],
    { tools: [login(got), note] },
  )
  const { toolCalls } = await ask()
  expect(got).toHaveBeenCalledTimes(1)
  expect(noted).not.toHaveBeenCalled()
  expect(toolCalls.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed'])
  await expectNowhere(secret, all)
  await agent.dispose()
})

test.each<[string, unknown]>([
  [
    'throws',
    (input: object) => {
      throw new Error(JSON.stringify(input))
    },
  ],
  ['returns nothing', () => undefined],
  ['returns no pointers', () => ['password']],
])(
  'when secretsIn %s, the whole input becomes a placeholder, and approval is required',
  async (_, secretsIn) => {
    const [secret, user] = [randomUUID(), randomUUID()]
    const all = watched()
    const got = vi.fn((_input: object) => 'in')
    const free = { needsApproval: false, annotations: { readOnly: true } }
    const { agent, chat, ask } = watch(all, [calls({ user, password: secret }), answer('Done.')], {
      tools: [login(got, { secretsIn, ...free } as Partial<Tool>)],
      toolApproval: () => false,
      whileTainted: 'allow',
    })
    const asked = chat.subscribe(() => {
      for (const { toolCallId } of chat.getSnapshot().pending) {
        expect(got).not.toHaveBeenCalled()
        asked()
        void chat.approve(toolCallId)
      }
    })
    await ask()
    expect(all.shown).toContainEqual(expect.objectContaining({ type: 'tool-approval-request' }))
    expect(got).toHaveBeenCalledExactlyOnceWith({ user, password: secret }, expect.anything())
    await expectNowhere(secret, all)
    await expectNowhere(user, all)
    expect(JSON.stringify(all.shown)).toContain('hook-failed')
    await agent.dispose()
  },
)

test.each<[string, (secret: string) => StreamPart[]]>([
  ['does not fit the schema', (secret) => calls({ password: secret.repeat(2) })],
  ['has an unknown parameter', (secret) => calls({ passwort: secret, password: secret })],
  [
    'is not JSON',
    (secret) => [
      {
        type: 'tool-call',
        toolCallId: 'p1',
        toolName: 'login',
        error: {
          code: 'invalid-json',
          message: `The arguments are not valid JSON (Unexpected token 'h', "{"password": ${secret}" is not valid JSON).`,
        },
        rawInput: `{"password": ${secret}`,
      },
      {
        type: 'finish',
        finishReason: 'tool-calls',
        providerMetadata: { watched: { items: [{ arguments: `{"password": ${secret}` }] } },
      },
    ],
  ],
  [
    'is of a tool whose name is misspelt',
    (secret) => [
      { type: 'tool-call', toolCallId: 'p1', toolName: 'logn', input: { password: secret } },
      { type: 'finish', finishReason: 'tool-calls' },
    ],
  ],
])('the secret is not stored with a call that %s', async (_, turn) => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const { agent, ask } = watch(all, [turn(secret), answer('Done.')], { tools: [login(got)] })
  expect((await ask()).toolCalls).toMatchObject([{ status: 'invalid' }])
  expect(got).not.toHaveBeenCalled()
  expect(await stored(all.storage)).not.toContain(secret)
  expect(JSON.stringify([all.requests, all.shown])).not.toContain(secret)
  await agent.dispose()
})

const password = (secret: string): string => `<password>${secret}</password>`

test.each([
  ['that is malformed', (secret: string) => `<login><password>${secret}</login>`],
  [
    'with a value that does not fit',
    (secret: string) => `<login><password>x</password><remember>${secret}</remember></login>`,
  ],
  ['that is cut off', (secret: string) => `<login><password>${secret}`],
  ['in another letter case', (secret: string) => `<Login>${password(secret)}</Login></ACTION>`],
  ['with a separator', (secret: string) => `<log_in>${password(secret)}</log_in></ACTION>`],
  ['with a separator, cut off', (secret: string) => `<log_in>${password(secret)}`],
  [
    'after one of an unknown tool',
    (secret: string) => `<weather/><login>${password(secret)}</login></ACTION>`,
  ],
])('in ACTION mode, the secret is not stored with a call %s', async (_, block) => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const schema = {
    ...LOGIN,
    properties: { ...LOGIN.properties, remember: { type: 'boolean' } },
  }
  const { agent, ask } = watch(all, [answer(`<ACTION>${block(secret)}`), answer('Done.')], {
    toolMode: 'action',
    tools: [login(got, { inputSchema: schema })],
  })
  await ask()
  expect(all.requests).toHaveLength(2)
  expect(JSON.stringify(got.mock.calls)).not.toContain(secret)
  expect(await stored(all.storage)).not.toContain(secret)
  expect(JSON.stringify([all.requests, all.shown])).not.toContain(secret)
  await agent.dispose()
})

test('hooks get placeholders and may change the rest; redact sees no secret', async () => {
  const secret = randomUUID()
  const all = watched()
  const seen: unknown[] = []
  const got = vi.fn((_input: object) => 'in')
  const { agent, ask } = watch(all, [calls({ user: 'ada', password: secret }), answer('Done.')], {
    tools: [login(got)],
    beforeToolCall: (call) => {
      seen.push(call)
      return { input: { ...(call.input as object), user: 'bob' } }
    },
    afterToolCall: ({ input }) => void seen.push(input),
    redact: (fact) => {
      seen.push(fact)
      return JSON.parse(JSON.stringify(fact).replaceAll('bob', 'b')) as typeof fact
    },
  })
  await ask()
  expect(got).toHaveBeenCalledExactlyOnceWith({ user: 'b', password: secret }, expect.anything())
  expect(JSON.stringify(seen)).not.toContain(secret)
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('secrets are protected in parameters that the model knows by other names', async () => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const { agent, ask } = watch(all, [calls({ pass_word: secret }), answer('Done.')], {
    tools: [
      login(got, {
        inputSchema: { type: 'object', properties: { 'pass word': { type: 'string' } } },
        secretsIn: () => ['/pass word'],
      }),
    ],
  })
  await ask()
  expect(got).toHaveBeenCalledExactlyOnceWith({ 'pass word': secret }, expect.anything())
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('in one-shot mode the page gets the placeholder', async () => {
  const secret = randomUUID()
  const all = watched()
  const { agent, chat, ask } = watch(all, [calls({ password: secret })], {
    tools: [login(() => 'in')],
  })
  await ask({ maxSteps: 0 })
  expect(chat.getSnapshot().pending).toMatchObject([
    { toolName: 'login', input: { password: '[sealed value 1 of p1]' } },
  ])
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('the result of a run does not contain the secret', async () => {
  const secret = randomUUID()
  const all = watched()
  const finish: StreamPart = {
    type: 'tool-call',
    toolCallId: 'f1',
    toolName: 'finish_task',
    input: { result: `Logged in with ${secret}.` },
  }
  const { agent, ask } = watch(all, [calls({ password: secret }, finish)], {
    tools: [login(() => 'in')],
    controlTools: ['finish_task'],
  })
  const { toolCalls } = await ask()
  expect(toolCalls[1]).toMatchObject({
    status: 'succeeded',
    input: { result: 'Logged in with [sealed value 1 of p1].' },
  })
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('a call that a native model writes as text hides its secret too', async () => {
  const secret = randomUUID()
  const all = watched()
  const got = vi.fn((_input: object) => 'in')
  const text = `<tool_call>${JSON.stringify({ name: 'login', arguments: { password: secret } })}</tool_call>`
  const { agent, chat, ask } = watch(all, [answer(text), answer('Done.')], { tools: [login(got)] })
  await ask()
  expect(got).toHaveBeenCalledExactlyOnceWith({ password: secret }, expect.anything())
  expect(chat.getSnapshot().messages.length).toBeGreaterThan(0)
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('secrets in returned numbers, names, tokens, hook results and call names become placeholders', async () => {
  const secret = `s${randomUUID()}`
  const digits = 8_412_907_731
  const all = watched()
  const turn = [
    ...calls({ user: digits, password: secret } as object, {
      type: 'tool-call',
      toolCallId: 'x1',
      toolName: secret,
      input: { [secret]: 1 },
    }),
  ]
  const { agent, ask } = watch(all, [turn, answer('Done.')], {
    tools: [
      login(() => ({ [secret]: { digits, list: [digits] } }), {
        inputSchema: {
          type: 'object',
          properties: { user: { type: 'integer' }, password: { type: 'string' } },
        },
        secretsIn: () => ['/user', '/password'],
      }),
    ],
    afterToolCall: ({ result }) => ({ result }),
  })
  const { toolCalls } = await ask()
  const [user, password] = [1, 2].map((count) => `[sealed value ${count} of p1]`) as [
    string,
    string,
  ]
  expect(toolCalls[0]?.output).toEqual({
    type: 'json',
    value: { [password]: { digits: user, list: [user] } },
  })
  expect(toolCalls[1]).toMatchObject({ status: 'invalid', toolName: 'sealed_name' })
  await expectNowhere(secret, all)
  await expectNowhere(`${digits}`, all)
  await agent.dispose()
})

test('a long-running call has no secret in its token or its outcome', async () => {
  const secret = randomUUID()
  const all = watched()
  const { agent, chat, ask } = watch(all, [calls({ password: secret }), answer('Done.')], {
    tools: [login(() => pending({ resumeToken: `of ${secret}` }))],
  })
  const ended = ask()
  await until(() => chat.getSnapshot().pending.length === 1)
  await chat.settle('p1', { output: { [secret]: `It was ${secret}.` } })
  await ended
  await expectNowhere(secret, all)
  await agent.dispose()
})

test.each<[string, (secret: string) => unknown]>([
  ['has an undefined field', (typed) => ({ typed, until: undefined })],
  ['has a date', (typed) => ({ typed, at: new Date(0) })],
  ['is an error', (typed) => new Error(`typed ${typed}`)],
  ['is a map', (typed) => new Map([['typed', typed]])],
])('progress that %s shows no secret', async (_, progressOf) => {
  const secret = randomUUID()
  const all = watched()
  const tool = {
    ...login(() => 'in'),
    execute(_input: object, { progress }: { progress: (value: unknown) => void }) {
      progress(progressOf(secret))
      progress(() => secret)
      return 'in'
    },
  } as Tool
  const { agent, ask } = watch(all, [calls({ password: secret }), answer('Done.')], {
    tools: [tool],
  })
  await ask()
  const progress = all.shown.flatMap((event) =>
    (event as RunEvent).type === 'tool-progress' ? [event as { progress: unknown }] : [],
  )
  expect(progress).toHaveLength(1)
  expect(JSON.stringify(progress)).toMatch(/sealed value 1 of p1/)
  await expectNowhere(secret, all)
  await agent.dispose()
})

test('an input that streams before its tool is named is not shown', async () => {
  const secret = randomUUID()
  const all = watched()
  const delta = JSON.stringify({ password: secret })
  const turn: StreamPart[] = [
    { type: 'tool-input-delta', toolCallId: 'p1', delta },
    ...calls({ password: secret }),
  ]
  const { agent, ask } = watch(all, [turn, answer('Done.')], { tools: [login(() => 'in')] })
  await ask()
  await expectNowhere(secret, all)
  await agent.dispose()
})
