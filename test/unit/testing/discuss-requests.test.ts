import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import {
  createAgent,
  defineTool,
  type Conversation,
  type ModelConfig,
  type PendingCall,
} from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { createMock } from '../../../src/testing/mock/index.ts'
import {
  createTestAgent,
  inProcessWorker,
  type Script,
  type ScriptStep,
  type TestAgent,
} from '../../../src/testing/index.ts'
import { checkChat, checkMessages } from '../../browser/support/strict-rules.ts'
import { until } from '../client/fake-worker.ts'

// Requests of a discussion in each wire format. The servers refuse what the vendors' own would refuse.

// Agents of other files may still be asking.
const real = globalThis.fetch
afterEach(() => vi.unstubAllGlobals())

interface Format {
  readonly name: string
  readonly model: (url: string) => Pick<ModelConfig, 'provider' | 'api' | 'baseURL'>
  /** Why a strict server refuses what the mock accepts. */
  readonly complaint: (body: JsonObject) => string | undefined
  /** Marks the result of a native call. */
  readonly result: string
}

const FORMATS: readonly Format[] = [
  {
    name: 'Chat Completions',
    model: (url) => ({ provider: 'openai', api: 'chat', baseURL: `${url}/v1` }),
    complaint: (body) => checkChat(body, []),
    result: '"role":"tool"',
  },
  {
    name: 'Responses',
    model: (url) => ({ provider: 'openai', api: 'responses', baseURL: `${url}/v1` }),
    complaint: () => undefined,
    result: '"type":"function_call_output"',
  },
  {
    name: 'Messages',
    model: (url) => ({ provider: 'anthropic', baseURL: url }),
    complaint: (body) => checkMessages(body, []),
    result: '"type":"tool_result"',
  },
]

interface Sent {
  readonly body: JsonObject
  readonly status: number
}

/** Serves a script, and lists what was sent and how it was answered. */
async function serve(script: Script): Promise<{ readonly url: string; readonly sent: Sent[] }> {
  const { url, close } = await createMock({ script }).listen()
  onTestFinished(close)
  const sent: Sent[] = []
  vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
    const response = await real(input, init)
    if (input.startsWith(url))
      sent.push({ body: JSON.parse(String(init.body)) as JsonObject, status: response.status })
    return response
  })
  return { url, sent }
}

const FILES = ['plan.pdf', 'notes.txt', 'invoice.pdf']
const TWO = { to: 'anna@example.org', files: FILES.slice(0, 2) }

const mails: unknown[] = []
const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, files: { type: 'array', items: { type: 'string' } } },
    required: ['to', 'files'],
    additionalProperties: false,
  },
  needsApproval: true,
  execute: (input) => {
    mails.push(input)
    return 'The mail is out.'
  },
})
const wipe = defineTool({ name: 'wipe', description: 'Wipes.', execute: () => 'wiped' })

/** A step with a call: native, or as text. */
function callStep(mode: 'native' | 'action', toolName: string, input: JsonObject): ScriptStep {
  if (mode === 'native') return { toolCalls: [{ toolName, input }] }
  const fields = Object.entries(input).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `<${name}>${text}</${name}>`
  })
  return { text: `<ACTION><${toolName}>${fields.join('')}</${toolName}></ACTION>` }
}

/** Results of calls as text come as a message of their own, for which a scene stands first. */
const scriptOf = (mode: 'native' | 'action'): Script => ({
  scenes: [
    { match: ['the mail is out'], steps: [{ text: 'It is sent.' }] },
    { match: ['too early'], steps: [{ text: 'As you like.' }] },
    { match: ['sees the suggestion'], steps: [{ text: 'Two attachments, then.' }] },
    { match: ['why three'], steps: [{ text: 'Anna asked for all three.' }] },
    {
      match: ['leave out'],
      steps: [callStep(mode, 'suggest_change', TWO), { text: 'Two attachments, then.' }],
    },
    // Formats may send this question, which had no answer, in one message with the next.
    { match: ['are you there'], steps: [{ error: 'Asleep.' }] },
    {
      match: ['mail the plan'],
      steps: [callStep(mode, 'send_mail', { ...TWO, files: FILES }), { text: 'It is sent.' }],
    },
  ],
})

const isAsked = ({ body }: Sent): boolean => JSON.stringify(body).includes('waits for a person')
const itemsOf = ({ body }: Sent): readonly string[] =>
  ((body['messages'] ?? body['input']) as readonly JsonObject[]).map((item) => JSON.stringify(item))

const ROWS = FORMATS.flatMap((format) =>
  (['native', 'action'] as const).map((mode) => [`${format.name}, ${mode}`, format, mode] as const),
)

test.each(ROWS)(
  'no server refuses a request of a discussion: %s',
  async (_name, { model, complaint, result }, mode) => {
    mails.length = 0
    const { url, sent } = await serve(scriptOf(mode))
    const agent = createTestAgent({
      model: {
        ...model(url),
        model: 'mock',
        apiKey: 'test-key',
        toolMode: mode,
        retry: { maxRetries: 0 },
      },
      tools: [sendMail, wipe],
    })
    onTestFinished(() => agent.dispose())
    const chat = agent.conversation('desk')
    const asked: unknown[] = []
    const talk = async (text: string, questions: readonly string[], isApproved: boolean) => {
      const run = chat.send(text)
      for await (const event of run) {
        if (event.type !== 'tool-approval-request') continue
        for (const question of questions) {
          const answer = await (await chat.discuss(event, question))?.result
          asked.push([answer?.outcome, answer?.text])
        }
        if (isApproved) await chat.approve(event, { input: TWO })
        else await chat.deny(event, 'Too early')
      }
      return (await run.result).text
    }

    const questions = ['Are you there?', 'Why three?', 'Leave out the invoice']
    expect(await talk('Mail the plan', questions, true)).toBe('It is sent.')
    expect(asked).toEqual([
      ['failed', ''],
      ['completed', 'Anna asked for all three.'],
      ['completed', 'Two attachments, then.'],
    ])
    expect(mails).toEqual([TWO])
    expect(sent.map(({ status }) => status)).toEqual([200, 500, 200, 200, 200, 200])
    const discussion = sent.filter(isAsked)
    expect(discussion).toHaveLength(4)
    for (const request of discussion) {
      const text = JSON.stringify(request.body)
      for (const part of ['invoice.pdf', 'Mail the plan', 'suggest_change', 'Are you there?'])
        expect(text).toContain(part)
      // Neither tools of the host nor the waiting call itself, which has no result yet.
      expect(text).not.toContain('wipe')
      expect(itemsOf(request).join('\n')).not.toContain('"name":"send_mail"')
      const tools = [request.body['tools'] ?? []].flat()
      expect(tools).toHaveLength(mode === 'native' ? 1 : 0)
    }
    // The model that goes on gets the discussion in the result of its call.
    const last = sent.at(-1)
    const note = (last ? itemsOf(last) : []).find((item) => item.includes('Leave out the invoice'))
    expect(note).toContain(mode === 'native' ? result : 'The mail is out.')
    for (const part of [
      'Why three?',
      'Anna asked for all three.',
      'You suggested',
      'a person changed',
    ])
      expect(note).toContain(part)

    // A denied call's, with the first one in the history.
    const before = sent.length
    const denied = await talk('Mail the plan again', ['Why three?'], false)
    expect(denied).toBe(mode === 'native' ? 'It is sent.' : 'As you like.')
    expect(sent.slice(before).map(({ status }) => status)).toEqual([200, 200, 200])
    const results = sent.at(-1)
    const reason = (results ? itemsOf(results) : []).find((item) => item.includes('Too early'))
    expect(reason).toContain('Why three?')
    expect(sent.flatMap(({ body }) => complaint(body) ?? [])).toEqual([])
  },
)

const waits = async (chat: Conversation, toolName: string): Promise<PendingCall> => {
  const find = (): PendingCall | undefined =>
    chat.getSnapshot().pending.find((call) => call.toolName === toolName)
  await until(() => find() !== undefined)
  const call = find()
  if (!call) throw new Error('No call waits.')
  return call
}

/** Chat Completions: each result of a call in the newest request. */
const resultsIn = (sent: readonly Sent[]): readonly string[] => {
  const last = sent.at(-1)
  return (last ? itemsOf(last) : []).filter((item) => item.includes('"role":"tool"'))
}

/** An agent whose composite tool mails each of the people, and goes on if a mail is denied. */
function mailAll(url: string, people: readonly string[]): TestAgent {
  const agent = createTestAgent({
    model: { provider: 'openai-compatible', baseURL: `${url}/v1`, model: 'mock' },
    tools: [
      sendMail,
      defineTool({
        name: 'mail_all',
        description: 'Mails all.',
        version: '1',
        run: async (_input, { call }) => {
          for (const to of people) await call('send_mail', { to, files: [] }).catch(() => 'denied')
          return 'Mailed.'
        },
      }),
    ],
  })
  onTestFinished(() => agent.dispose())
  return agent
}

test('the model gets the discussions of calls that its composite tool made, approved or denied', async () => {
  const { url, sent } = await serve({
    scenes: [
      { match: ['why'], steps: [{ text: 'Anna asked for it.' }] },
      { match: ['now'], steps: [{ text: 'Because it is late.' }] },
    ],
    fallback: [{ toolCalls: [{ toolName: 'mail_all', input: {} }] }, { text: 'Done.' }],
  })
  const agent = mailAll(url, ['a', 'b'])
  const chat = agent.conversation('desk')
  const run = chat.send('Go')
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    const { to } = event.input as { readonly to: string }
    await (
      await chat.discuss(event, to === 'a' ? 'Why a?' : 'Now b?')
    )?.result
    if (to === 'a') await chat.approve(event)
    else await chat.deny(event)
  }
  expect((await run.result).text).toBe('Done.')
  const [result, ...others] = resultsIn(sent)
  expect(others).toEqual([])
  for (const part of ['Mailed.', 'Why a?', 'Anna asked for it.', 'Now b?', 'Because it is late.'])
    expect(result).toContain(part)
})

test('of many discussions in a composite tool, the model gets the newest, and the run ends', async () => {
  const { url, sent } = await serve({
    scenes: [{ match: ['why'], steps: [{ text: 'Because. '.repeat(200) }] }],
    fallback: [{ toolCalls: [{ toolName: 'mail_all', input: {} }] }, { text: 'Done.' }],
  })
  const agent = mailAll(url, [...Array(16).keys()].map(String))
  const chat = agent.conversation('desk')
  const run = chat.send('Go')
  for await (const event of run) {
    if (event.type !== 'tool-approval-request') continue
    const { to } = event.input as { readonly to: string }
    const asked = await chat.discuss(event, `Why ${to}?`)
    await asked?.result
    await chat.approve(event)
  }
  expect((await run.result).text).toBe('Done.')
  const [result] = resultsIn(sent)
  expect(result).toContain('Why 14?')
  expect(result).toContain('Why 15?')
  expect(result).not.toContain('Why 0?')
  expect(result?.length).toBeLessThan(25_000)
})

test("a sub-agent's model gets the discussion of its call, asked and approved in the calling conversation", async () => {
  const { url, sent } = await serve({
    scenes: [
      { match: ['why'], steps: [{ text: 'Anna asked for it.' }] },
      {
        match: ['task for the helper'],
        steps: [
          { toolCalls: [{ toolName: 'send_mail', input: { to: 'a', files: [] } }] },
          { text: 'Helped.' },
        ],
      },
    ],
    fallback: [
      { toolCalls: [{ toolName: 'helper', input: { prompt: 'Task for the helper' } }] },
      { text: 'Done.' },
    ],
  })
  const model = { provider: 'openai-compatible', baseURL: `${url}/v1`, model: 'mock' } as const
  // Agents of a page share its worker.
  const worker = inProcessWorker()
  const child = createAgent({ model, worker, tools: [sendMail] })
  const boss = createAgent({
    model,
    worker,
    tools: [child.asTool({ name: 'helper', description: 'Helps.' })],
  })
  onTestFinished(() => child.dispose())
  onTestFinished(() => boss.dispose())
  const chat = boss.conversation('desk')
  onTestFinished(chat.subscribe(() => undefined))
  const run = chat.send('Go')
  const call = await waits(chat, 'send_mail')
  await (
    await chat.discuss(call, 'Why?')
  )?.result
  expect(await chat.approve(call)).toBe(true)
  expect((await run.result).text).toBe('Done.')
  const [result] = resultsIn(sent.slice(0, -1))
  expect(result).toContain('The mail is out.')
  expect(result).toContain('Why?')
  expect(result).toContain('Anna asked for it.')
})
