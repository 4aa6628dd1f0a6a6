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

describe('of a conversation that was loaded', () => {
  test('nothing is announced that was stored before', () => {
    expect(
      said(LOADING, LOADING, { ...IDLE, messages: [answer('It was.', CONNECTED - 1)] }),
    ).toEqual([])
    expect(said(LOADING, waiting('approval'))).toEqual([])
  })

  test('what another tab has written so far is not announced, and what it writes on is', () => {
    const open = { ...IDLE, status: 'running', runId: 'r1', ownership: 'other-tab' } as const
    const texts = said(
      LOADING,
      { ...open, messages: [answer('Once. ')] },
      { ...open, messages: [answer('Once. Upon a time. ')] },
    )
    expect(texts).toEqual(['Upon a time.'])
  })

  test('what was written for this page meanwhile is announced, with its end', () => {
    const ended = { runId: 'r1', outcome: 'completed' } as const
    const texts = said(LOADING, { ...IDLE, ended, messages: [answer('It is.', CONNECTED + 1)] })
    expect(texts).toEqual(['It is.', en.announceDone])
  })
})

test('a call whose outcome is unknown is announced as one, and not as an approval', () => {
  expect(said(IDLE, waiting('decision'))).toEqual([en.announceInterrupted('Pay')])
  expect(said(IDLE, waiting('approval'))).toEqual([en.announceCall('Pay')])
})

test.each([
  ['disposed', [en.letGo]],
  ['taken-over', []],
  ['aborted', [en.announceStopped]],
])('a run that ended as %s', (reason, texts) => {
  const ended = { runId: 'r1', outcome: 'aborted', reason } as const
  expect(said({ ...IDLE, status: 'running', runId: 'r1' }, { ...IDLE, ended })).toEqual(texts)
})

test('a run that waits for its first words is announced once, and one that has them is not', () => {
  const open = { ...IDLE, status: 'running', runId: 'r1' } as const
  expect(said(IDLE, open, open)).toEqual([en.reasoningUnderWay])
  expect(said(LOADING, { ...open, status: 'loading' }, open, open)).toEqual([en.reasoningUnderWay])
  const written = { ...open, messages: [answer('Here. ')] }
  expect(said(IDLE, written, written)).toEqual(['Here.'])
})

test('of a text that is long at once, only the beginning is announced, in whole sentences', () => {
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

test('that there is more is said once, and no more of such a text', () => {
  const part = 'Much of it came at once. '.repeat(200)
  const growing = [1, 2, 3].map((times) => ({ ...IDLE, messages: [answer(part.repeat(times))] }))
  const texts = said(IDLE, ...growing, { ...IDLE, messages: [answer(part.repeat(3), CONNECTED)] })
  expect(texts).toHaveLength(2)
  expect(texts[1]).toBe(en.announceRest)
  const next = { ...answer('Short.', CONNECTED), id: 'm2' }
  expect(said(IDLE, ...growing, { ...IDLE, messages: [answer(part), next] }).at(-1)).toBe('Short.')
})

test('what is written bit by bit is announced whole, however long it gets', () => {
  const sentence = 'One after the other. '
  const grown = Array.from({ length: 300 }, (_, count) => ({
    ...IDLE,
    messages: [answer(sentence.repeat(count + 1))],
  }))
  expect(said(IDLE, ...grown)).toHaveLength(300)
  expect(said(IDLE, ...grown)).not.toContain(en.announceRest)
})
