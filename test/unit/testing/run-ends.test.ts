import { expect, onTestFinished, test, vi } from 'vitest'
import { streamAnswer } from '../../../src/connect/ai-sdk/follow.ts'
import type { UIChunk } from '../../../src/connect/ai-sdk/to-ui-messages.ts'
import { FollowUps } from '../../../src/ui/chat/views/answer.ts'
import { createLocalState } from '../../../src/ui/chat/element.ts'
import { announce, announcedBy } from '../../../src/ui/chat/parts/announce.ts'
import { STATES, statesOf, textIn } from '../../../src/ui/chat/parts/states.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import { zh } from '../../../src/ui/chat/words/zh.ts'
import {
  createAgent,
  defineTool,
  type Agent,
  type ConversationSnapshot,
} from '../../../src/index.ts'
import { createTestStorage, inProcessWorker } from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { callStream, chatStream, serve } from '../doctor/small-server.ts'
import { gate } from './talk.ts'

/** Effects of a run's end: the second table of docs/events.md, "How a run ends". */
interface Ending {
  readonly outcome: 'completed' | 'failed'
  /** The stored finish reason. */
  readonly finishReason?: string
  readonly code?: string
  readonly beginsNext: boolean
  readonly verified: boolean
  readonly reflected: boolean
  readonly followedUp: boolean
  /** The status in the result of `asTool`. */
  readonly child: string
  /** The last chunk of a chat of the AI SDK. */
  readonly chunk: object
  readonly chat: string | undefined
  readonly said: string
}

const completed = { outcome: 'completed', beginsNext: true } as const
const notWhole = { reflected: false, followedUp: false } as const
const failedWith = (code: string, words: string): Ending => ({
  ...notWhole,
  outcome: 'failed',
  code,
  beginsNext: false,
  verified: false,
  child: 'failed',
  chunk: { type: 'error' },
  chat: undefined,
  said: `Something went wrong: ${words}`,
})

const ENDINGS = {
  whole: {
    ...completed,
    verified: true,
    reflected: true,
    followedUp: true,
    child: 'completed',
    chunk: { type: 'finish', finishReason: 'stop' },
    chat: undefined,
    said: 'Done',
  },
  cut: {
    ...completed,
    ...notWhole,
    finishReason: 'length',
    verified: true,
    child: 'length',
    chunk: { type: 'finish', finishReason: 'length' },
    chat: 'Cut off at the output limit.',
    said: 'Cut off at the output limit.',
  },
  refused: {
    ...completed,
    ...notWhole,
    finishReason: 'content-filter',
    verified: true,
    child: 'content-filter',
    chunk: { type: 'finish', finishReason: 'content-filter' },
    chat: 'The model refused to continue.',
    said: 'The model refused to continue.',
  },
  empty: {
    ...completed,
    ...notWhole,
    finishReason: 'empty',
    verified: false,
    child: 'empty',
    chunk: { type: 'finish', finishReason: 'other' },
    chat: 'Done, without a reply.',
    said: 'Done, without a reply.',
  },
  'empty-answer': failedWith('empty-answer', 'The model gave no answer.'),
  'content-filtered': failedWith(
    'content-filtered',
    'The model or its provider refused to answer.',
  ),
  'invalid-tool-calls': failedWith('invalid-tool-calls', "The model's tool calls stayed invalid:"),
} as const satisfies Record<string, Ending>

interface Cause {
  /** Streams of the server, the last of them again and again. */
  readonly replies: readonly string[]
  readonly ending: keyof typeof ENDINGS
  /** Requests of the first run. Default 1. */
  readonly requests?: number
  /** Calls that ran. Default 0. */
  readonly ran?: number
  /** Default: as the ending says. */
  readonly followedUp?: boolean
  /** The model is told. */
  readonly note?: RegExp
}

const text = (content: string, finish = 'stop'): string => chatStream([{ content }], finish)
const callBeside = (content: string | null, finish: string, input = '{}'): string => {
  const call = { index: 0, id: 'c1', type: 'function', function: { name: 'act', arguments: input } }
  return chatStream([{ content }, { tool_calls: [call] }], finish)
}
const nothing = chatStream([])
const work = callStream('act', '{}')
const finished = callStream('finish_task', '{"result":"All done."}')
const twice = { requests: 2, note: /last message was empty/ } as const

const causes: Readonly<Record<string, Cause>> = {
  text: { replies: [text('Done.')], ending: 'whole' },
  'finish_task, without text': { replies: [finished], ending: 'whole', followedUp: false },
  'an empty answer': { replies: [nothing], ending: 'empty-answer', ...twice },
  'a blank answer': { replies: [text(' \n ')], ending: 'empty-answer', ...twice },
  'reasoning only': {
    replies: [chatStream([{ reasoning_content: 'Hm.' }])],
    ending: 'empty-answer',
    ...twice,
  },
  '<think> never closed': { replies: [text('<think>Hm. Done.')], ending: 'empty-answer', ...twice },
  'tool_calls without calls': {
    replies: [chatStream([], 'tool_calls')],
    ending: 'empty-answer',
    ...twice,
  },
  'text, and tool_calls without calls': {
    replies: [text('I will look.', 'tool_calls')],
    ending: 'whole',
    requests: 2,
    note: /No tool call came/,
  },
  'nothing, and text when asked again': {
    replies: [nothing, text('Done.')],
    ending: 'whole',
    ...twice,
  },
  'nothing, after a call that succeeded': {
    replies: [work, nothing],
    ending: 'empty',
    ...twice,
    requests: 3,
    ran: 1,
  },
  'nothing, after a call that failed': {
    replies: [callStream('act', '{"fail":true}'), nothing],
    ending: 'empty-answer',
    ...twice,
    requests: 3,
    ran: 1,
  },
  'content_filter, with text': { replies: [text('Well,', 'content_filter')], ending: 'refused' },
  'content_filter, without text': {
    replies: [chatStream([], 'content_filter')],
    ending: 'content-filtered',
  },
  'sensitive, with text': { replies: [text('Well,', 'sensitive')], ending: 'refused' },
  'sensitive, without text': { replies: [text(' ', 'sensitive')], ending: 'content-filtered' },
  'a refusal, with text': { replies: [text('No.', 'refusal')], ending: 'refused' },
  'a refusal, without text': {
    replies: [chatStream([], 'refusal')],
    ending: 'content-filtered',
  },
  'a refusal in its own field': { replies: [chatStream([{ refusal: 'No.' }])], ending: 'refused' },
  'a filter, with text and a call': {
    replies: [callBeside('Well,', 'content_filter')],
    ending: 'refused',
  },
  'a filter, with a call alone': {
    replies: [callBeside(null, 'content_filter')],
    ending: 'content-filtered',
  },
  'a refusal, with a call alone': {
    replies: [callBeside(null, 'refusal')],
    ending: 'content-filtered',
  },
  'length, in text': { replies: [text('It begins', 'length')], ending: 'cut' },
  'model_context_window_exceeded, in text': {
    replies: [text('It begins', 'model_context_window_exceeded')],
    ending: 'cut',
  },
  'length, in reasoning': {
    replies: [chatStream([{ reasoning_content: 'Hm' }], 'length')],
    ending: 'empty-answer',
    requests: 2,
    note: /briefly: the output limit/,
  },
  'length, in a call': {
    replies: [callBeside(null, 'length', '{"a":"b')],
    ending: 'invalid-tool-calls',
    requests: 2,
    note: /with shorter arguments/,
  },
  'length, in a call that is brief when asked again': {
    replies: [callBeside(null, 'length', '{"a":"b'), work, text('Done.')],
    ending: 'whole',
    requests: 3,
    ran: 1,
  },
}

interface Stored {
  readonly finishReason?: string
}

const shown = (agent: Agent) => {
  const chat = agent.conversation('talk')
  onTestFinished(chat.subscribe(() => undefined))
  return chat
}

/** The text that the chat shows after the last message. */
function atTheEnd(snapshot: ConversationSnapshot): string | undefined {
  const name = statesOf(snapshot, {}).find((each) => STATES[each].place === 'log')
  return name && textIn({ snapshot, words: en, around: {} }, STATES[name].text)
}

async function world({ replies }: Cause) {
  const { origin, asked } = await serve(({ path }) =>
    path === '/v1/chat/completions'
      ? { sse: replies[Math.min(asked.length - 1, replies.length - 1)] ?? nothing }
      : undefined,
  )
  let ran = 0
  const act = defineTool({
    name: 'act',
    description: 'Acts.',
    inputSchema: { type: 'object' },
    execute: (input: { readonly fail?: boolean }) => {
      ran++
      if (input.fail) throw new Error('It is closed.')
      return 'Acted.'
    },
  })
  const testStorage = createTestStorage()
  const open = gate()
  const verify = vi.fn(() => ({ ok: true }) as const)
  const worker = inProcessWorker({ storage: testStorage })
  const agent = createAgent({
    worker,
    model: { provider: 'openai-compatible', model: 'm', baseURL: `${origin}/v1` },
    tools: [act],
    controlTools: ['finish_task'],
    beforeModel: () => open.opened,
    verify,
    reflect: {
      mode: 'annotate',
      instructions: 'Remark.',
      model: {
        provider: 'scripted',
        model: 's',
        script: { fallback: Array<object>(5).fill({ text: 'Good.' }) },
      },
    },
  })
  onTestFinished(() => agent.dispose())
  return { agent, asked, open, verify, worker, testStorage, calls: () => ran }
}

test.each(Object.entries(causes))('a run that ends with %s', async (_name, cause) => {
  const { requests = 1, ran = 0, note } = cause
  const expected: Ending = ENDINGS[cause.ending]
  const { agent, asked, open, verify, testStorage, calls } = await world(cause)
  const chat = shown(agent)
  const run = chat.send('One', { maxSteps: 6 })
  await until(() => chat.getSnapshot().status === 'running')
  const before = announcedBy(chat.getSnapshot())
  const chunks = read(streamAnswer({ conversation: chat, after: null, run }))
  open.open()
  const result = await run.result
  expect(result).toMatchObject({
    outcome: expected.outcome,
    ...(expected.code && { error: { code: expected.code } }),
    ...(expected.finishReason && { finishReason: expected.finishReason }),
  })
  expect([asked.length, calls()]).toEqual([requests, ran])
  if (note) expect(JSON.stringify(asked.at(-1)?.body['messages'])).toMatch(note)
  expect(verify.mock.calls.length > 0).toBe(expected.verified)
  expect(result.reflection).toBe(expected.reflected ? 'Good.' : undefined)

  const { rows } = await (await testStorage.open('offstage')).read('talk')
  const end = rows.flatMap((row) => ('end' in (row as object) ? (row as { end: Stored }).end : []))
  expect(end).toMatchObject([
    { outcome: expected.outcome, ...(expected.code && { error: { code: expected.code } }) },
  ])
  expect(end.map(({ finishReason }) => finishReason)).toEqual([expected.finishReason])

  await until(() => chat.getSnapshot().runId === undefined)
  const snapshot = chat.getSnapshot()
  expect(snapshot.ended).toMatchObject({ outcome: expected.outcome })
  const followUps = vi.fn(() => [])
  const local = createLocalState(() => undefined)
  new FollowUps().update({ snapshot, local, answers: { followUps } })
  expect(followUps.mock.calls.length > 0).toBe(cause.followedUp ?? expected.followedUp)
  const sentence = snapshot.ended?.outcome === 'completed' ? atTheEnd(snapshot) : undefined
  expect(sentence).toBe(expected.chat)
  expect(announce(before, snapshot, en).texts.at(-1)).toContain(expected.said)
  expect((await chunks).at(-1)).toMatchObject(expected.chunk)
})

test.each(Object.entries(causes))(
  'the queued message and the calling run handle a run that ends with %s',
  async (_name, cause) => {
    const expected: Ending = ENDINGS[cause.ending]
    const { agent, open, worker } = await world(cause)
    const boss = createAgent({
      worker,
      model: {
        provider: 'scripted',
        model: 's',
        script: {
          steps: [{ toolCalls: [{ toolName: 'ask', input: { prompt: 'One' } }] }, { text: 'Ok.' }],
        },
      },
      tools: [agent.asTool({ name: 'ask', description: 'Asks.' })],
    })
    onTestFinished(() => boss.dispose())
    open.open()
    const [call] = (await boss.run('Ask').result).toolCalls
    expect(JSON.stringify(call?.output)).toMatch(new RegExp(`status\\W+${expected.child}\\W`))
    if (cause.ending === 'cut') expect(JSON.stringify(call?.output)).toContain('It begins')

    const held = await world(cause)
    const run = shown(held.agent).send('One', { maxSteps: 6 })
    run.send('Two', { when: 'after-run' })
    await until(() => shown(held.agent).getSnapshot().queued.length === 1)
    held.open.open()
    expect((await run.result).nextRunId !== undefined).toBe(expected.beginsNext)
  },
)

test('when no step is left, an empty answer is not requested again', async () => {
  for (const [maxSteps, replies] of [
    [1, [nothing]],
    [0, [nothing]],
    [2, [work, nothing]],
  ] as const) {
    const { agent, asked, open } = await world({ replies, ending: 'empty-answer' })
    open.open()
    const { outcome } = await agent.run('One', { maxSteps }).result
    expect([outcome, asked.length]).toEqual(maxSteps === 2 ? ['completed', 2] : ['failed', 1])
  }
})

test('each language of the chat has a sentence for each ending', () => {
  expect(Object.keys(zh.endings)).toEqual(Object.keys(en.endings))
})

async function read(stream: ReadableStream<UIChunk>): Promise<UIChunk[]> {
  const chunks: UIChunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}
