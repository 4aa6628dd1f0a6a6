import { describe, expect, test } from 'vitest'
import { announce, announcedBy } from '../../../src/ui/chat/parts/announce.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type { ConversationSnapshot, PendingCall, ShownMessage } from '../../../src/index.ts'

const LOADING = emptySnapshot('c1', 'loading')
const IDLE = emptySnapshot('c1', 'idle')
const CONNECTED = 1000

function answer(text: string, at?: number): ShownMessage {
  return {
    role: 'assistant',
    id: 'm1',
    parts: [{ type: 'text', text }],
    ...(at !== undefined && { at }),
  }
}

/** Announcements for a sequence of snapshots. */
function said(first: ConversationSnapshot, ...rest: ConversationSnapshot[]): readonly string[] {
  let announced = announcedBy(first, CONNECTED)
  return rest.flatMap((snapshot) => {
    const next = announce(announced, snapshot, en)
    announced = next.announced
    return next.texts
  })
}

function waiting(kind: PendingCall['kind']): ConversationSnapshot {
  const call = { toolCallId: 't1', toolName: 'pay', title: 'Pay', input: {}, kind }
  return { ...IDLE, status: 'waiting', runId: 'r1', pending: [call] }
}

describe('after a conversation has loaded', () => {
  test('messages stored before are not announced', () => {
    expect(
      said(LOADING, LOADING, { ...IDLE, messages: [answer('It was.', CONNECTED - 1)] }),
    ).toEqual([])
    expect(said(LOADING, waiting('approval'))).toEqual([])
  })

  test("another tab's later text is announced, and its earlier text is not", () => {
    const open = { ...IDLE, status: 'running', runId: 'r1', ownership: 'other-tab' } as const
    const texts = said(
      LOADING,
      { ...open, messages: [answer('Once. ')] },
      { ...open, messages: [answer('Once. Upon a time. ')] },
    )
    expect(texts).toEqual([en.otherTab, 'Upon a time.'])
  })

  test('text written for this page meanwhile is announced, with its end', () => {
    const ended = { runId: 'r1', outcome: 'completed' } as const
    const texts = said(LOADING, { ...IDLE, ended, messages: [answer('It is.', CONNECTED + 1)] })
    expect(texts).toEqual(['It is.', en.announceDone])
  })
})

test('a call with an unknown outcome is announced as unknown, not as an approval', () => {
  expect(said(IDLE, waiting('decision'))).toEqual([en.announceInterrupted('Pay')])
  expect(said(IDLE, waiting('approval'))).toEqual([en.announceCall('Pay')])
})

test.each([
  ['disposed', [en.letGo]],
  ['taken-over', []],
  ['aborted', [en.announceStopped]],
])('the announcements match a run that ended as %s', (reason, texts) => {
  const ended = { runId: 'r1', outcome: 'aborted', reason } as const
  expect(said({ ...IDLE, status: 'running', runId: 'r1' }, { ...IDLE, ended })).toEqual(texts)
})

test('a run without text is announced once, and a run with text is not', () => {
  const open = { ...IDLE, status: 'running', runId: 'r1' } as const
  expect(said(IDLE, open, open)).toEqual([en.reasoningUnderWay])
  expect(said(LOADING, { ...open, status: 'loading' }, open, open)).toEqual([en.reasoningUnderWay])
  const written = { ...open, messages: [answer('Here. ')] }
  expect(said(IDLE, written, written)).toEqual(['Here.'])
})

test('when a long text arrives at once, only its first whole sentences are announced', () => {
  const sentence = 'All of it came at once. '
  const [beginning, rest, ...more] = said(IDLE, {
    ...IDLE,
    messages: [answer(sentence.repeat(1000), CONNECTED)],
  })
  expect(beginning?.length).toBeLessThanOrEqual(2000)
  expect(beginning).toBe(sentence.repeat(Math.floor(2000 / sentence.length)).trim())
  expect([rest, ...more]).toEqual([en.announceRest])
  expect(said(IDLE, { ...IDLE, messages: [answer('x'.repeat(5000), CONNECTED)] })).toEqual([
    'x'.repeat(2000),
    en.announceRest,
  ])
})

test('the hint at more text is announced once, and then no more of it', () => {
  const part = 'Much of it came at once. '.repeat(200)
  const growing = [1, 2, 3].map((times) => ({ ...IDLE, messages: [answer(part.repeat(times))] }))
  const texts = said(IDLE, ...growing, { ...IDLE, messages: [answer(part.repeat(3), CONNECTED)] })
  expect(texts).toHaveLength(2)
  expect(texts[1]).toBe(en.announceRest)
  const next = { ...answer('Short.', CONNECTED), id: 'm2' }
  expect(said(IDLE, ...growing, { ...IDLE, messages: [answer(part), next] }).at(-1)).toBe('Short.')
})

test('a text that arrives bit by bit is announced completely, at any length', () => {
  const sentence = 'One after the other. '
  const grown = Array.from({ length: 300 }, (_, count) => ({
    ...IDLE,
    messages: [answer(sentence.repeat(count + 1))],
  }))
  expect(said(IDLE, ...grown)).toHaveLength(300)
  expect(said(IDLE, ...grown)).not.toContain(en.announceRest)
})

test.each([
  ['It takes 2~3 days.', 'It takes 2~3 days.'],
  ['送货需要2~3天。', '送货需要2~3天。'],
  ['So 2*3=6, and 4 * 5 = 20.', 'So 2*3=6, and 4 * 5 = 20.'],
  ['**Bold**, *soft*, **10** ~~gone~~ and `code`.', 'Bold, soft, 10 gone and code.'],
  ['请**注意**安全。', '请注意安全。'],
])('%s is announced without marks, and with all of its text', (text, spoken) => {
  expect(said(IDLE, { ...IDLE, messages: [answer(text, CONNECTED)] })).toEqual([spoken])
})

test('a waiting call is announced even if another agent’s call has its id', () => {
  const call = (conversationId: string, title: string): PendingCall => ({
    conversationId,
    toolCallId: 'call_1',
    toolName: 'pay',
    title,
    input: {},
    kind: 'approval',
  })
  const first = { ...waiting('approval'), pending: [call('child-1', 'Pay Anna')] }
  const both = { ...first, pending: [...first.pending, call('child-2', 'Pay Ben')] }
  expect(said(IDLE, first, both)).toEqual([en.announceCall('Pay Anna'), en.announceCall('Pay Ben')])
})
