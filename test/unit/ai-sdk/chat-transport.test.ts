import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  createChatTransport,
  loadUIMessages,
  toUIMessages,
  type OffstageChatTransport,
  type OffstageUIMessage,
  type UICommonChunk,
  type UIToolPart,
} from '../../../src/connect/ai-sdk/index.ts'
import type { Agent } from '../../../src/client/api/agent.ts'
import { defineTool } from '../../../src/client/tools/define-tool.ts'
import type { Tool } from '../../../src/client/tools/tool.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { ConversationSnapshot } from '../../../src/index.ts'
import type { Script } from '../../../src/protocol/model.ts'
import {
  createTestAgent,
  createTestStorage,
  simulateReload,
  type TestAgentOptions,
  type TestStorage,
} from '../../../src/testing/index.ts'
import { packages, type ChatLike, type Packages } from '../../ai-sdk/prepare-packages.ts'

let sdk: Packages
beforeAll(async () => {
  sdk = await packages()
}, 600_000)

const agents: Agent[] = []
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.dispose()
})

/** Actions of the tools, in order. */
let orders: string[] = []
let finish = (): void => undefined

const orderTool = (needsApproval: boolean): Tool<string> =>
  defineTool({
    name: 'order',
    title: 'Place the order',
    description: 'Orders.',
    inputSchema: {
      type: 'object',
      properties: { sku: { type: 'string' } },
      required: ['sku'],
    },
    needsApproval,
    execute: async ({ sku }: { sku: string }, { progress }) => {
      orders.push(sku)
      if (sku === 'gone') throw new Error('sold out')
      if (sku === 'slow') {
        progress({ percent: 50 })
        await new Promise<void>((resolve) => (finish = resolve))
      }
      return { ordered: sku }
    },
  })

interface Opened {
  readonly agent: Agent
  readonly chat: ChatLike
  readonly chunks: UICommonChunk[]
  readonly data: { readonly type: string; readonly data: unknown }[]
}

interface OpenOptions extends Partial<TestAgentOptions> {
  readonly script: Script
  readonly needsApproval?: boolean
  readonly testStorage?: TestStorage
  readonly messages?: readonly OffstageUIMessage[]
  readonly when?: 'approvals' | 'calls'
}

function open({
  needsApproval = false,
  messages,
  when = 'approvals',
  ...options
}: OpenOptions): Opened {
  const agent = createTestAgent({ tools: [orderTool(needsApproval)], ...options })
  agents.push(agent)
  const chunks: UICommonChunk[] = []
  const data: Opened['data'] = []
  const chat = new sdk.Chat({
    id: 'c',
    transport: recorded(createChatTransport(agent), chunks),
    onData: (part) => data.push(part),
    onError: () => undefined,
    ...(messages && { messages }),
    sendAutomaticallyWhen:
      when === 'approvals'
        ? sdk.ai.lastAssistantMessageIsCompleteWithApprovalResponses
        : sdk.ai.lastAssistantMessageIsCompleteWithToolCalls,
  })
  return { agent, chat, chunks, data }
}

/** The transport as it is, with its chunks noted and held to the AI SDK's schema. */
function recorded(
  transport: OffstageChatTransport,
  chunks: UICommonChunk[],
): OffstageChatTransport {
  const note = (stream: ReadableStream<UICommonChunk>): ReadableStream<UICommonChunk> =>
    stream.pipeThrough(
      new TransformStream({
        async transform(chunk, controller) {
          chunks.push(chunk)
          const { success } = await sdk.ai.uiMessageChunkSchema().validate(chunk)
          expect(success, JSON.stringify(chunk)).toBe(true)
          controller.enqueue(chunk)
        },
      }),
    )
  return {
    resumeStreamIsReplay: transport.resumeStreamIsReplay,
    sendMessages: async (options) => note(await transport.sendMessages(options)),
    reconnectToStream: async (options) => {
      const stream = await transport.reconnectToStream(options)
      return stream && note(stream)
    },
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const settled = ({ chat }: Opened): Promise<void> =>
  until(() => chat.status === 'ready' || chat.status === 'error')

function toolOf(chat: ChatLike): UIToolPart | undefined {
  return chat.messages
    .flatMap(({ parts }) => parts)
    .findLast((part): part is UIToolPart => part.type.startsWith('tool-'))
}

function textOf(message: OffstageUIMessage | undefined): string {
  return (message?.parts ?? [])
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('|')
}

/** Without what only one of the two can know: chats make up the ids of what a person writes. */
function comparable(messages: readonly OffstageUIMessage[]): unknown {
  return JSON.parse(
    JSON.stringify(
      messages.map(({ id, role, parts, metadata }, at) => ({
        id: role === 'user' ? '' : id,
        role,
        ...(at === messages.length - 1 && { metadata }),
        parts: parts
          .filter(({ type }) => !type.startsWith('data-'))
          .map((part) => {
            const { state, id: _, ...rest } = part as { state?: string; id?: string }
            return part.type === 'text' ? rest : { ...rest, state }
          }),
      })),
    ),
  )
}

async function expectSame({ agent, chat }: Opened): Promise<void> {
  const shown = toUIMessages(agent.conversation('c').getSnapshot())
  expect(comparable(chat.messages)).toEqual(comparable(shown))
  const { success, error } = await sdk.ai.safeValidateUIMessages({ messages: shown })
  expect(error).toBeUndefined()
  expect(success).toBe(true)
}

const order = (sku: string): Script => ({
  pieceLength: 3,
  steps: [
    {
      reasoning: 'They want one.',
      text: 'I order it.',
      toolCalls: [{ toolName: 'order', input: { sku } }],
    },
    { text: 'It is ordered.' },
  ],
})

test('text, reasoning and a tool stream, and the chat matches the conversation', async () => {
  const opened = open({ script: order('mug') })
  const { chat, chunks } = opened
  await chat.sendMessage({ text: 'A mug' })
  expect(chat.error).toBeUndefined()
  expect(chat.status).toBe('ready')
  expect(orders.splice(0)).toEqual(['mug'])
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(chat.messages[1]?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: 'They want one.', state: 'done' },
    { type: 'text', text: 'I order it.', state: 'done' },
    {
      type: 'tool-order',
      title: 'Place the order',
      state: 'output-available',
      input: { sku: 'mug' },
      output: { ordered: 'mug' },
    },
    { type: 'step-start' },
    { type: 'text', text: 'It is ordered.', state: 'done' },
  ])
  expect(chat.messages[1]?.metadata).toMatchObject({
    outcome: 'completed',
    usage: { modelCalls: 2 },
  })
  expect(chunks.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
  await expectSame(opened)
})

test('readUIMessageStream builds the same message from the stream', async () => {
  const { agent } = open({ script: order('mug') })
  const stream = await createChatTransport(agent).sendMessages({
    trigger: 'submit-message',
    chatId: 'c',
    messageId: undefined,
    messages: [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'A mug' } as { type: string }] },
    ],
    abortSignal: undefined,
  })
  let last: OffstageUIMessage | undefined
  for await (const message of sdk.ai.readUIMessageStream({ stream })) last = message
  const [, shown] = toUIMessages(agent.conversation('c').getSnapshot())
  expect(textOf(last)).toBe(textOf(shown))
  expect(last?.id).toBe(shown?.id)
  orders = []
})

test('an approval frees the chat, runs its call once and adds no turn', async () => {
  const opened = open({ script: order('mug'), needsApproval: true })
  const { agent, chat } = opened
  await chat.sendMessage({ text: 'A mug' })
  const asked = toolOf(chat)
  expect(asked).toMatchObject({ state: 'approval-requested', input: { sku: 'mug' } })
  expect(chat.status).toBe('ready')
  expect(orders).toEqual([])
  await expectSame(opened)
  const { approval } = asked as { approval: { id: string } }
  await chat.addToolApprovalResponse({ id: approval.id, approved: true })
  await until(() => textOf(chat.messages[1]).endsWith('It is ordered.'))
  await settled(opened)
  expect(orders.splice(0)).toEqual(['mug'])
  expect(chat.messages).toHaveLength(2)
  expect(toolOf(chat)).toMatchObject({
    state: 'output-available',
    output: { ordered: 'mug' },
    approval: { approved: true },
  })
  const { messages } = agent.conversation('c').getSnapshot()
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
})

test('a call whose input a hook has changed shows the new input and can be approved', async () => {
  let change = (): void => undefined
  const changed = new Promise<void>((resolve) => (change = resolve))
  const opened = open({
    script: order('mug'),
    needsApproval: true,
    async beforeToolCall() {
      await changed
      return { input: { sku: 'red mug' } }
    },
  })
  const { chat } = opened
  const sent = chat.sendMessage({ text: 'A mug' })
  await until(() => toolOf(chat)?.state === 'input-available')
  change()
  await sent
  const asked = toolOf(chat)
  expect(asked).toMatchObject({ state: 'approval-requested', input: { sku: 'red mug' } })
  await expectSame(opened)
  const { approval } = asked as { approval: { id: string } }
  await chat.addToolApprovalResponse({ id: approval.id, approved: true })
  await until(() => toolOf(chat)?.state === 'output-available' || chat.error !== undefined)
  await settled(opened)
  expect(chat.error).toBeUndefined()
  expect(orders.splice(0)).toEqual(['red mug'])
})

test('a denied call does not run, and its reason is reported', async () => {
  const opened = open({ script: order('mug'), needsApproval: true })
  const { agent, chat } = opened
  await chat.sendMessage({ text: 'A mug' })
  const { approval } = toolOf(chat) as { approval: { id: string } }
  await chat.addToolApprovalResponse({ id: approval.id, approved: false, reason: 'Too dear' })
  await until(() => toolOf(chat)?.state === 'output-denied')
  await settled(opened)
  expect(orders).toEqual([])
  expect(toolOf(chat)).toMatchObject({ approval: { approved: false, reason: 'Too dear' } })
  const [call] = agent
    .conversation('c')
    .getSnapshot()
    .messages.flatMap(({ calls }) => calls ?? [])
  expect(call).toMatchObject({ status: 'denied', output: { reason: 'Too dear' } })
  await expectSame(opened)
})

test('an approval given elsewhere runs the calls, and the chat can resume', async () => {
  const opened = open({
    script: {
      steps: [
        { toolCalls: ['mug', 'slow'].map((sku) => ({ toolName: 'order', input: { sku } })) },
        { text: 'Both.' },
      ],
    },
    tools: [orderTool(true)],
  })
  const { agent, chat } = opened
  const sent = chat.sendMessage({ text: 'Two' })
  await until(() => agent.conversation('c').getSnapshot().pending.length === 2)
  await sent
  const view = agent.conversation('c')
  for (const { toolCallId } of view.getSnapshot().pending) await view.approve(toolCallId)
  const resumed = chat.resumeStream()
  await until(() => orders.includes('slow'))
  // The tool reports progress while it runs.
  await until(() => JSON.stringify(chat.messages).includes('"percent":50'))
  expect(toolOf(chat)).toMatchObject({ state: 'output-available', preliminary: true })
  finish()
  await resumed
  expect(orders.splice(0)).toEqual(['mug', 'slow'])
  expect(textOf(chat.messages[1])).toBe('Both.')
  await expectSame(opened)
})

test.each([true, false])(
  'an answer that another tab gave first is shown (approved: %s)',
  async (approved) => {
    const opened = open({ script: order('mug'), tools: [orderTool(true)] })
    const { agent, chat } = opened
    await chat.sendMessage({ text: 'A mug' })
    const view = agent.conversation('c')
    const [call] = view.getSnapshot().pending
    if (!call) throw new Error('unreachable')
    await (approved ? view.approve(call) : view.deny(call))
    await until(() => view.getSnapshot().runId === undefined)
    await chat.addToolApprovalResponse({ id: call.toolCallId, approved: true })
    await until(() => toolOf(chat)?.state === (approved ? 'output-available' : 'output-denied'))
    expect(chat.error).toBe(undefined)
    expect(toolOf(chat)).toMatchObject({ approval: { approved } })
    expect(orders.splice(0)).toEqual(approved ? ['mug'] : [])
  },
)

test('a call whose run is aborted before it ran does not count as approved', async () => {
  const { agent, chat } = open({ script: order('mug'), tools: [orderTool(true)] })
  await chat.sendMessage({ text: 'A mug' })
  await agent.conversation('c').abort('stopped')
  const [, answer] = await loadUIMessages(agent, 'c')
  expect(answer?.parts.find((part) => 'toolCallId' in part)).toMatchObject({
    state: 'output-denied',
    approval: { approved: false, reason: 'The run was stopped before this call ran.' },
  })
})

test('when a tool fails, the chat shows its error', async () => {
  const opened = open({ script: order('gone') })
  await opened.chat.sendMessage({ text: 'One' })
  expect(toolOf(opened.chat)).toMatchObject({
    state: 'output-error',
    errorText: expect.stringContaining('sold out') as string,
  })
  orders = []
  await expectSame(opened)
})

test('when the model fails, the chat has the error and its code', async () => {
  const opened = open({ script: { steps: [{ text: 'Well', error: 'No more power.' }] } })
  const { chat, data } = opened
  await chat.sendMessage({ text: 'Hello' })
  expect(chat.status).toBe('error')
  expect(chat.error?.message).toContain('No more power.')
  expect(data).toMatchObject([{ type: 'data-error', data: { code: 'provider-error' } }])
})

test('an answer that the verifier rejects is replaced by the next one', async () => {
  let asked = 0
  const opened = open({
    script: { steps: [{ text: 'Four thousand.' }, { text: 'Forty.' }] },
    verify: () => (asked++ === 0 ? { feedback: 'Too much.' } : { ok: true }),
  })
  await opened.chat.sendMessage({ text: 'How many?' })
  expect(textOf(opened.chat.messages[1])).toBe('Forty.')
  await expectSame(opened)
})

const scenes: Script = {
  scenes: [
    { match: ['first'], steps: [{ text: 'One.' }] },
    { match: ['second'], steps: [{ text: 'Two.' }] },
  ],
  fallback: [{ text: 'What?' }],
}

test('regenerate and edit create branches of the conversation', async () => {
  const opened = open({ script: scenes })
  const { agent, chat } = opened
  const view = agent.conversation('c')
  await chat.sendMessage({ text: 'The first' })
  await chat.sendMessage({ text: 'And the second' })
  expect(chat.messages.map((message) => textOf(message))).toEqual([
    'The first',
    'One.',
    'And the second',
    'Two.',
  ])
  const before = chat.messages[3]?.id
  await chat.regenerate()
  expect(chat.messages.map((message) => textOf(message))).toEqual([
    'The first',
    'One.',
    'And the second',
    'Two.',
  ])
  const after = chat.messages[3]?.id as string
  expect(after).not.toBe(before)
  expect(view.getSnapshot().branches[after]?.ids).toEqual([before, after])
  await expectSame(opened)
  // By the id that the chat made up.
  await chat.sendMessage({ text: 'The second', messageId: chat.messages[0]?.id })
  expect(chat.messages.map((message) => textOf(message))).toEqual(['The second', 'Two.'])
  expect(Object.keys(view.getSnapshot().branches)).toHaveLength(1)
  await expectSame(opened)
  await chat.regenerate({ messageId: chat.messages[1]?.id as string })
  expect(chat.messages.map((message) => textOf(message))).toEqual(['The second', 'Two.'])
})

const endless: Script = { paceMs: 20, pieceLength: 2, steps: [{ text: 'on and '.repeat(2000) }] }

test('stop ends the run and keeps its text', async () => {
  const opened = open({ script: endless })
  const { agent, chat } = opened
  const sent = chat.sendMessage({ text: 'Go' })
  await until(() => textOf(chat.messages[1]).length > 10)
  await chat.stop()
  await sent
  const view = agent.conversation('c')
  await until(() => view.getSnapshot().runId === undefined)
  expect(view.getSnapshot().ended).toMatchObject({ outcome: 'aborted', reason: 'stopped' })
  expect(chat.status).toBe('ready')
})

/** The page is loaded again: another agent, another chat with what is stored, the same store. */
async function reload(options: OpenOptions): Promise<Opened> {
  simulateReload()
  const { agent } = open(options)
  const messages = await loadUIMessages(agent, 'c')
  await agent.dispose()
  return open({ ...options, messages })
}

test('after a reload during an answer, the chat resumes the run', async () => {
  const testStorage = createTestStorage()
  const options: OpenOptions = {
    script: { paceMs: 2, pieceLength: 2, steps: [{ text: 'word '.repeat(100) }] },
    testStorage,
  }
  const first = open(options)
  void first.chat.sendMessage({ text: 'Go' })
  await until(() => textOf(first.chat.messages[1]).length > 10)
  const second = await reload(options)
  expect(second.chat.messages.map(({ role }) => role)).toContain('user')
  await second.chat.resumeStream()
  expect(second.chat.error).toBeUndefined()
  expect(textOf(second.chat.messages[1])).toBe('word '.repeat(100))
  expect(second.chat.messages).toHaveLength(2)
  await expectSame(second)
  // Nothing is open any more.
  await second.chat.resumeStream()
  expect(second.chat.status).toBe('ready')
})

test('after a failed run, older messages are loaded, too', async () => {
  const error = { code: 'network', message: 'No answer.', retryable: true } as const
  const said = (id: string) =>
    ({ id, role: 'user', parts: [{ type: 'text', text: id }], at: 1 }) as const
  const newest: ConversationSnapshot = {
    ...emptySnapshot('c', 'idle'),
    messages: [said('second')],
    older: 1,
    ended: { runId: 'r', outcome: 'failed', error },
    error,
  }
  let shown = newest
  let changed = (): void => undefined
  const conversation = {
    getSnapshot: () => shown,
    subscribe: (listener: () => void) => {
      changed = listener
      return () => undefined
    },
  }
  const agent = { conversation: () => conversation } as unknown as Agent
  const loading = loadUIMessages(agent, 'c')
  shown = { ...newest, messages: [said('first'), said('second')], older: 0 }
  changed()
  expect((await loading).map(({ id }) => id)).toEqual(['first', 'second'])
})

test('after a reload, a chat that resumed nothing can answer an approval', async () => {
  const testStorage = createTestStorage()
  const options: OpenOptions = { script: order('mug'), testStorage, needsApproval: true }
  const first = open(options)
  await first.chat.sendMessage({ text: 'A mug' })
  const second = await reload(options)
  const { approval } = toolOf(second.chat) as { approval: { id: string } }
  await second.chat.addToolApprovalResponse({ id: approval.id, approved: true })
  await until(() => textOf(second.chat.messages[1]).endsWith('It is ordered.'))
  await settled(second)
  expect(orders.splice(0)).toEqual(['mug'])
  expect(second.chat.messages).toHaveLength(2)
})

test('a chat that stops and resumes within one turn (strict mode) stops nothing', async () => {
  const opened = open({
    script: { paceMs: 5, pieceLength: 5, steps: [{ text: 'word '.repeat(60) }] },
  })
  const { agent, chat } = opened
  agent.run('Go', { conversationId: 'c' })
  await until(() => agent.conversation('c').getSnapshot().runId !== undefined)
  void chat.resumeStream()
  void chat.stop()
  await chat.resumeStream()
  await until(() => agent.conversation('c').getSnapshot().ended !== undefined)
  expect(agent.conversation('c').getSnapshot().ended).toMatchObject({ outcome: 'completed' })
})

test('a question is shown with its data and answered through the chat', async () => {
  const opened = open({
    script: {
      steps: [
        {
          toolCalls: [
            {
              toolName: 'ask_user',
              input: { question: 'Which colour?', options: ['red', 'blue'] },
            },
          ],
        },
        { text: 'Blue it is.' },
      ],
    },
    controlTools: ['ask_user', 'plan'],
    when: 'calls',
  })
  const { chat, data } = opened
  await chat.sendMessage({ text: 'A mug' })
  const asked = toolOf(chat) as UIToolPart
  expect(asked).toMatchObject({ type: 'tool-ask_user', state: 'input-available' })
  expect(data).toMatchObject([
    { type: 'data-waiting', data: [{ kind: 'answer', question: { question: 'Which colour?' } }] },
  ])
  await expectSame(opened)
  await chat.addToolOutput({ tool: 'ask_user', toolCallId: asked.toolCallId, output: 'blue' })
  await until(() => textOf(chat.messages[1]) === 'Blue it is.')
  await settled(opened)
  expect(data.at(-1)).toMatchObject({ type: 'data-waiting', data: [] })
})

test('the plan is a data part of the message', async () => {
  const items = [
    { content: 'Look', status: 'done' },
    { content: 'Order', status: 'pending' },
  ]
  const opened = open({
    script: { steps: [{ toolCalls: [{ toolName: 'plan', input: { items } }] }, { text: 'So.' }] },
    controlTools: ['plan'],
  })
  await opened.chat.sendMessage({ text: 'A mug' })
  const plan = opened.chat.messages[1]?.parts.find(({ type }) => type === 'data-plan')
  expect(plan).toMatchObject({ data: items })
})

test('a message sent while a call waits reaches the run instead of its answer', async () => {
  const opened = open({
    script: {
      scenes: [{ match: ['never mind'], steps: [{ text: 'All right.' }] }],
      fallback: [{ toolCalls: [{ toolName: 'order', input: { sku: 'mug' } }] }],
    },
    needsApproval: true,
  })
  const { agent, chat } = opened
  await chat.sendMessage({ text: 'A mug' })
  await chat.sendMessage({ text: 'Never mind' })
  expect(chat.error).toBeUndefined()
  expect(textOf(chat.messages.at(-1))).toBe('All right.')
  expect(orders).toEqual([])
  const { ended, messages } = agent.conversation('c').getSnapshot()
  expect(ended).toMatchObject({ outcome: 'completed' })
  expect(messages.flatMap(({ calls }) => calls ?? [])).toMatchObject([{ status: 'aborted' }])
  const shown = await loadUIMessages(agent, 'c')
  expect(shown.flatMap(({ parts }) => parts)).toContainEqual(
    expect.objectContaining({ type: 'tool-order', state: 'output-denied' }),
  )
})

test('when a message stops a call, the chat is not told that it was approved', async () => {
  const slow = defineTool({
    name: 'slow',
    description: 'Takes long.',
    execute: (_input, { signal }) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
  })
  const opened = open({
    tools: [slow, orderTool(true)],
    script: {
      scenes: [{ match: ['never mind'], steps: [{ text: 'All right.' }] }],
      fallback: [
        {
          toolCalls: [
            { toolName: 'slow', input: {} },
            { toolName: 'order', input: { sku: 'mug' } },
          ],
        },
      ],
    },
  })
  const { agent, chat } = opened
  const sent = chat.sendMessage({ text: 'A mug' })
  await until(() => toolOf(chat)?.state === 'approval-requested')
  await agent.conversation('c').steer('Never mind', { when: 'now' })
  await sent
  expect(toolOf(chat)).toMatchObject({ state: 'output-denied', approval: { approved: false } })
})

test('a chat that keeps requesting more gets an error, not a loop', async () => {
  const opened = open({
    script: { steps: [{ toolCalls: [{ toolName: 'order', input: { sku: 'mug' } }] }] },
    maxSteps: 1,
    when: 'calls',
  })
  const { chat } = opened
  await chat.sendMessage({ text: 'A mug' })
  await settled(opened)
  expect(chat.status).toBe('error')
  orders = []
})

test('files are sent along, and addresses are rejected', async () => {
  const opened = open({ script: { steps: [{ text: 'Nice.' }] } })
  const { agent, chat } = opened
  const file = { type: 'file', mediaType: 'image/png', filename: 'a.png' }
  await chat.sendMessage({
    text: 'Look',
    files: [{ ...file, url: 'data:image/png;base64,iVBORw0KGgo=' }],
  })
  expect(agent.conversation('c').getSnapshot().messages[0]?.parts).toEqual([
    { ...file, data: 'iVBORw0KGgo=' },
    { type: 'text', text: 'Look' },
  ])
  await expectSame(opened)
  await chat.sendMessage({ text: 'Look', files: [{ ...file, url: 'https://example.com/a.png' }] })
  expect(chat.error).toMatchObject({ code: 'invalid-input' })
})
