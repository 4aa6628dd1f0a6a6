import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TAB_FORMAT } from '../../../../src/worker/ownership/tab-channel.ts'
import { TAB_MESSAGES } from '../../../../src/worker/tabs/tab-messages.ts'
import { TabsWorld } from './world/tabs-world.ts'
import { whileRunning } from './world/three-tabs.ts'
import { someOf } from '../../more.ts'

const CHANNEL = 'offstage:durable:shop'
const TURNS = [
  { text: 'I look it up, which takes its time.', calls: [{ tool: 'look', input: {} }] },
  { text: 'It is on the shelf, as always.' },
]
const tools = { look: { takes: 200, annotations: { readOnly: true } } }

const rejections: unknown[] = []
const note = (reason: unknown): void => void rejections.push(reason)

beforeEach(() => {
  rejections.length = 0
  process.on('unhandledRejection', note)
})

afterEach(() => {
  process.off('unhandledRejection', note)
  TabsWorld.leave()
})

/** Values that a message's field could have, valid or not. */
const value = fc.oneof(
  fc.constantFrom(null, undefined, true, 0, -1, 1e308, '', 'talk', 'run', 'tab-one1', 'x'),
  fc.string(),
  fc.object({ maxDepth: 2 }),
  fc.array(
    fc.record({
      type: fc.constantFrom('text-delta', 'attempt-started', 'tool-progress', 'retry', 'run-ended'),
      runId: fc.constantFrom('run', 'other'),
      step: fc.constantFrom(1, 2, 99, -1),
      attempt: fc.constantFrom(1, 2),
      partId: fc.constantFrom('p', 'text-1'),
      messageId: fc.constantFrom('m', 'run:user'),
      delta: fc.string(),
      seq: fc.nat(20),
      path: fc.constant(['c']),
      progress: fc.anything(),
    }),
    { maxLength: 3 },
  ),
)

const FIELDS = [
  'conversationId',
  'epoch',
  'sent',
  'to',
  'live',
  'isStored',
  'deltas',
  'commandId',
  'command',
  'outcome',
  'toolName',
  'askId',
  'isBehind',
  'role',
  'requestId',
  'answer',
]

const body = fc.dictionary(fc.constantFrom(...FIELDS), value)

const message = fc.oneof(
  fc.anything(),
  fc.record({
    offstage: fc.constantFrom(TAB_FORMAT, TAB_FORMAT + 1, 'x'),
    from: fc.constantFrom('tab-one1', 'evil', 3),
    type: fc.oneof(fc.constantFrom(...Object.keys(TAB_MESSAGES)), fc.string()),
    body: fc.oneof(body, fc.anything()),
  }),
)

function isCloneable(it: unknown): boolean {
  try {
    structuredClone(it)
    return true
  } catch {
    return false
  }
}

it('whatever scripts of the origin post, nothing throws and the stored state is shown', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message.filter(isCloneable), { maxLength: 25 }), async (messages) => {
      const { world, one, two } = await whileRunning({ turns: TURNS }, tools)
      for (const each of messages) {
        world.network.inject(CHANNEL, each)
        await world.run(60)
      }
      await world.until(
        () => one.shown.ended !== undefined || two.shown.ended !== undefined,
        90_000,
      )
      await world.run(40_000)
      expect(two.shown.messages).toEqual(one.shown.messages)
      expect(one.text).toBe('It is on the shelf, as always.')
      expect(rejections).toEqual([])
    }),
    { numRuns: someOf(60) },
  )
})

const posted = (type: string, of: object, from = 'evil'): unknown => ({
  offstage: TAB_FORMAT,
  from,
  type,
  body: { conversationId: 'talk', ...of },
})

it('facts in a message are never trusted, but read from the store', async () => {
  const { world, one, two } = await whileRunning({ turns: TURNS }, tools)
  const row = {
    format: 2,
    conversationId: 'talk',
    seq: 3,
    runId: 'run',
    at: 0,
    appendId: 'a',
    type: 'run-ended',
    end: { outcome: 'completed' },
  }
  const { rows } = await world.store.read('talk')
  for (let seq = 1; seq <= rows.length + 2; seq++)
    world.network.inject(
      CHANNEL,
      posted('follow-items', {
        epoch: 9,
        sent: seq,
        isStored: true,
        deltas: [{ ...row, seq }],
        items: [{ ...row, seq }],
      }),
    )
  await world.run(50)
  expect(two.shown.status).toBe('running')
  await world.until(() => one.shown.ended !== undefined)
  await world.run(20_000)
  expect(two.content).toEqual(one.content)
})

it('a tab that falsely claims to drive the run is forgotten', async () => {
  const { world, one, two } = await whileRunning({ turns: TURNS }, tools)
  world.network.inject(CHANNEL, posted('run-driven', { epoch: Number.MAX_VALUE, sent: 5 }))
  const step = {
    runId: 'run',
    step: 99,
    attempt: 1,
    messageId: 'm',
    parts: [{ type: 'text', partId: 'p', text: 'Send me your password.' }],
    inputs: [],
  }
  const live = { step, retry: null, progress: {}, waits: null }
  world.network.inject(
    CHANNEL,
    posted('follow-begin', { epoch: Number.MAX_VALUE, sent: 5, to: 'tab-two1', live }),
  )
  await world.run(50)
  // Any script of the origin can show text in tabs that follow. This tab is no different.
  expect(two.text).toBe('Send me your password.')
  await world.until(() => one.shown.ended !== undefined)
  await world.run(20_000)
  expect(two.content).toEqual(one.content)
})

it('messages of another version are ignored', async () => {
  const { world, one, two } = await whileRunning({ turns: TURNS }, tools)
  const foreign = (type: string, of: object): void =>
    world.network.inject(CHANNEL, { ...(posted(type, of) as object), offstage: TAB_FORMAT + 1 })
  foreign('run-undriven', {})
  foreign('run-driven', { epoch: 99, sent: 0 })
  foreign('command-ask', {
    to: null,
    commandId: 'c',
    command: { type: 'abort', runId: 'run', reason: 'no' },
  })
  await world.until(() => one.shown.ended !== undefined)
  await world.run(1000)
  expect(one.ends).toEqual(['completed'])
  expect(two.content).toEqual(one.content)
})

it('an answer with an unstorable output or input is ignored', () => {
  const fits = TAB_MESSAGES['command-ask']
  const ask = (answer: object): object => ({
    conversationId: 'talk',
    to: null,
    commandId: 'c',
    command: { type: 'answer', toolCallId: 'x', answer, pageId: 'page' },
  })
  expect(fits(ask({ type: 'approve' }))).toBe(true)
  expect(fits(ask({ type: 'approve', input: { a: [1, null, 'x'] } }))).toBe(true)
  expect(fits(ask({ type: 'approve', input: { a: new Map() } }))).toBe(false)
  expect(fits(ask({ type: 'approve', input: { a: undefined } }))).toBe(false)
  const endless: Record<string, unknown> = {}
  endless['itself'] = endless
  expect(fits(ask({ type: 'approve', input: endless }))).toBe(false)
  const resolve = (output: unknown): object => ask({ type: 'resolve', verdict: 'happened', output })
  expect(fits(resolve({ type: 'text', value: 'done' }))).toBe(true)
  expect(fits(resolve({ type: 'text', value: 3 }))).toBe(false)
  expect(fits(resolve({ type: 'json', value: new Date() }))).toBe(false)
  expect(fits(ask({ type: 'resolve', verdict: 'perhaps' }))).toBe(false)
})

it('a message to a run with unstorable text is ignored', () => {
  const ask = (text: unknown) =>
    TAB_MESSAGES['command-ask']({
      conversationId: 'talk',
      to: null,
      commandId: 'c',
      command: {
        type: 'send',
        runId: 'run',
        message: { id: 'm', parts: [{ type: 'text', text: 'Hi', providerOptions: text }] },
        when: 'now',
      },
    })
  expect(ask({ a: ['b'] })).toBe(true)
  expect(ask(1n)).toBe(false)
  let doubled: unknown = 'x'
  for (let level = 0; level < 60; level++) doubled = [doubled, doubled]
  expect(ask(doubled)).toBe(false)
})
