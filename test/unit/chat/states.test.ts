import { expect, test } from 'vitest'
import { announce, announcedBy, announceIn } from '../../../src/ui/chat/parts/announce.ts'
import {
  type ChatEnvironment,
  type StateButton,
  STATES,
  type StateName,
  statesOf,
  textIn,
} from '../../../src/ui/chat/parts/states.ts'
import { en } from '../../../src/ui/chat/words/en.ts'
import { zh } from '../../../src/ui/chat/words/zh.ts'
import { emptySnapshot } from '../../../src/conversation/snapshot.ts'
import type {
  ConversationSnapshot,
  PendingCall,
  ShownCall,
  ShownMessage,
} from '../../../src/index.ts'
import { CALL_STATES, stateOf } from '../../../src/ui/chat/parts/shown-call.ts'

const IDLE = emptySnapshot('c1', 'idle')
const USAGE = { inputTokens: 0, outputTokens: 0 }
const ASKED: ShownMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hi' }], at: 1 }
const RUNNING: ConversationSnapshot = {
  ...IDLE,
  status: 'running',
  ownership: 'this-tab',
  runId: 'r1',
  run: { runId: 'r1', step: 1, attempt: 1, usage: USAGE as never, startedAt: 1 },
  messages: [ASKED],
}
const ERROR = { code: 'overloaded', message: 'Busy, said the server', retryable: true } as const
const ASKS: PendingCall = {
  toolCallId: 't1',
  toolName: 'pay',
  title: 'Pay',
  input: {},
  kind: 'approval',
}

/** A conversation in a state, and what a person sees, hears and can do. Absent: nothing. */
interface Case {
  readonly snapshot: ConversationSnapshot
  readonly around?: ChatEnvironment
  /** Default: an idle conversation. */
  readonly before?: ConversationSnapshot
  readonly isOfflineBefore?: boolean
  readonly shown?: string
  readonly said?: readonly string[]
  readonly offers?: StateButton
}

type End = NonNullable<ConversationSnapshot['ended']>
const after = (ended: Omit<End, 'runId'>): Pick<Case, 'snapshot' | 'before'> => ({
  before: RUNNING,
  snapshot: { ...IDLE, messages: [ASKED], ended: { runId: 'r1', ...ended } as End },
})
const cut = (finishReason: 'length' | 'content-filter' | 'empty' | 'pause') =>
  after({ outcome: 'completed', finishReason } as Omit<End, 'runId'>)
const stopped = { shown: 'Stopped', said: ['Stopped'] }
const paused = (
  paused: NonNullable<ConversationSnapshot['paused']>,
  text: string,
  button: Pick<Case, 'offers'> = { offers: 'continue' },
): Case => ({
  before: RUNNING,
  snapshot: { ...RUNNING, status: 'waiting', ownership: 'none', paused },
  shown: text,
  said: [text],
  ...button,
})

const CASES: Readonly<Record<StateName, Case>> = {
  loading: { snapshot: emptySnapshot('c1', 'loading'), shown: 'Loading…' },
  idle: { snapshot: IDLE },
  waiting: {
    before: RUNNING,
    snapshot: { ...RUNNING, status: 'waiting', pending: [ASKS] },
    said: ['Needs your approval: Pay'],
    offers: 'answer',
  },
  gone: {
    snapshot: IDLE,
    around: { isDeleted: true },
    shown: en.gone,
    said: [en.gone],
  },
  'let-go': {
    ...after({ outcome: 'aborted', reason: 'disposed' } as Omit<End, 'runId'>),
    shown: en.letGo,
    said: [en.letGo],
  },
  queued: {
    before: RUNNING,
    snapshot: { ...RUNNING, queued: [{ id: 'q1', parts: [{ type: 'text', text: 'More' }] }] },
    shown: 'Queued',
    said: ['Queued'],
    offers: 'remove',
  },
  unsent: {
    snapshot: IDLE,
    around: { unsent: 'Hello' },
    shown: 'Your message wasn’t sent.',
    said: ['Your message wasn’t sent.'],
    offers: 'edit',
  },
  running: { snapshot: RUNNING, said: ['Thinking…'], offers: 'stop' },
  thinking: { snapshot: RUNNING, shown: 'Thinking…', said: ['Thinking…'] },
  resumed: {
    before: RUNNING,
    snapshot: RUNNING,
    around: { resumedRunId: 'r1' },
    shown: 'Interrupted – resuming…',
    said: ['Interrupted – resuming…'],
  },
  'engine-loading': {
    before: RUNNING,
    snapshot: RUNNING,
    around: { loading: { model: 'tiny-1' } },
    shown: 'Loading the model tiny-1',
    said: ['Loading the model tiny-1'],
    offers: 'cancel',
  },
  completed: { ...after({ outcome: 'completed' }), said: ['Done'] },
  pause: { ...cut('pause'), ...stopped },
  length: {
    ...cut('length'),
    shown: 'Cut off at the output limit.',
    said: ['Cut off at the output limit.'],
    offers: 'reply',
  },
  'content-filter': {
    ...cut('content-filter'),
    shown: 'The model refused to continue.',
    said: ['The model refused to continue.'],
  },
  empty: {
    ...cut('empty'),
    shown: 'Done, without a reply.',
    said: ['Done, without a reply.'],
    offers: 'reply',
  },
  'max-steps': {
    ...after({ outcome: 'max-steps' }),
    shown: 'Stopped: step limit reached',
    said: ['Stopped: step limit reached'],
    offers: 'continue',
  },
  limit: {
    ...after({ outcome: 'limit', limit: 'costUSD' } as Omit<End, 'runId'>),
    shown: 'Stopped: cost limit reached',
    said: ['Stopped: cost limit reached'],
    offers: 'continue',
  },
  aborted: {
    ...after({ outcome: 'aborted', reason: 'aborted' } as Omit<End, 'runId'>),
    ...stopped,
  },
  failed: {
    ...after({ outcome: 'failed', error: ERROR } as Omit<End, 'runId'>),
    shown: 'The model is busy. Try again soon.',
    said: ['Something went wrong: The model is busy. Try again soon.'],
    offers: 'retry',
  },
  'not-begun': {
    snapshot: { ...IDLE, error: ERROR },
    shown: 'The model is busy. Try again soon.',
    said: ['Something went wrong: The model is busy. Try again soon.'],
    offers: 'retry',
  },
  'not-kept': {
    snapshot: IDLE,
    around: { isPersisted: false },
    shown: en.inMemory,
    said: [en.inMemory],
  },
  'set-aside': { snapshot: { ...IDLE, setAside: ['x'] }, shown: en.setAside, said: [en.setAside] },
  'crash-loop': paused('crash-loop', 'Paused after repeated crashes'),
  'storage-full': paused('storage-full', 'Paused: the storage is full'),
  'storage-blocked': paused('storage-blocked', 'Paused: the storage can’t be used'),
  // Only a reload helps: this page's code can't read the storage.
  'storage-newer': paused('storage-newer', 'Paused: reload the page', {}),
  'storage-offline': paused('storage-offline', 'Paused: the storage can’t be used'),
  'part-unavailable': paused('part-unavailable', 'Paused: reload the page'),
  'storage-failed': paused('storage-failed', 'Paused: the storage can’t be used'),
  online: { snapshot: IDLE, isOfflineBefore: true, said: ['Back online'] },
  offline: { snapshot: IDLE, around: { isOffline: true }, shown: en.offline, said: [en.offline] },
  none: { snapshot: IDLE },
  'this-tab': { before: RUNNING, snapshot: RUNNING, offers: 'stop' },
  'other-tab': {
    before: RUNNING,
    snapshot: { ...RUNNING, ownership: 'other-tab' },
    shown: 'Running in another tab',
    said: ['Running in another tab'],
    offers: 'take-over',
  },
  'other-device': {
    before: RUNNING,
    snapshot: { ...RUNNING, ownership: 'other-device' },
    shown: 'Running on another device',
    said: ['Running on another device'],
    offers: 'take-over',
  },
  retrying: {
    before: RUNNING,
    snapshot: {
      ...RUNNING,
      run: {
        ...(RUNNING.run as NonNullable<ConversationSnapshot['run']>),
        retry: { attempt: 1, delayMs: 4600, error: ERROR },
      },
    },
    around: { retryInMs: 1500 },
    shown: 'Retrying in 2s: The model is busy. Try again soon.',
    said: ['Retrying in 5s: The model is busy. Try again soon.'],
    offers: 'stop',
  },
}

const cases = Object.entries(CASES) as [StateName, Case][]

test.each(cases)(
  "state %s is entered, with the table's view, announcement and offer",
  (
    name,
    { snapshot, around = {}, before = IDLE, isOfflineBefore = false, shown, said, offers },
  ) => {
    expect(statesOf(snapshot, around)).toContain(name)
    const row = STATES[name]
    const text = row.place ? textIn({ snapshot, words: en, around }, row.text) : ''
    expect(text).toBe(shown ?? '')
    const opened = announcedBy(before)
    const earlier = announceIn(opened, {
      snapshot: before,
      words: en,
      around: { isOffline: isOfflineBefore },
    }).announced
    expect(announceIn(earlier, { snapshot, words: en, around }).texts).toEqual(said ?? [])
    // Once, however long it lasts.
    const later = announceIn(earlier, { snapshot, words: en, around }).announced
    expect(
      announceIn(later, { snapshot, words: en, around: { ...around, retryInMs: 500 } }).texts,
    ).toEqual([])
    const offered = statesOf(snapshot, around).flatMap((each) => STATES[each].offers ?? [])
    if (offers) expect(offered).toContain(offers)
    else expect(row.offers).toBe(undefined)
  },
)

test.each(cases.filter(([name]) => STATES[name].place === 'notice'))(
  'the notice %s is announced once if it is true when the conversation has loaded',
  (_name, { snapshot, around = {}, said }) => {
    const loading = emptySnapshot('c1', 'loading')
    const opened = announceIn(announcedBy(loading), { snapshot: loading, words: en, around })
    const loaded = announceIn(opened.announced, { snapshot, words: en, around })
    expect(loaded.texts).toEqual(expect.arrayContaining([...(said ?? [])]))
    expect(announceIn(loaded.announced, { snapshot, words: en, around }).texts).toEqual([])
  },
)

test('while an engine loads its model, nothing is shown as thinking', () => {
  expect(statesOf(RUNNING, {})).toContain('thinking')
  expect(statesOf(RUNNING, { loading: { model: 'tiny-1' } })).not.toContain('thinking')
})

test.each(cases)('state %s has a Chinese text', (name, { snapshot, around = {} }) => {
  const { text, announcement } = STATES[name]
  const english = textIn({ snapshot, words: en, around }, text ?? announcement)
  const chinese = textIn({ snapshot, words: zh, around }, text ?? announcement)
  expect(chinese === '').toBe(english === '')
  expect(chinese).not.toMatch(/[a-z]{7}/)
})

const CALLS: Readonly<Record<ShownCall['status'], readonly [kind: string, said: string]>> = {
  proposed: ['working', ''],
  approved: ['working', ''],
  executing: ['working', 'Pay: Running'],
  suspended: ['working', ''],
  'awaiting-approval': ['waiting', ''],
  'awaiting-answer': ['waiting', ''],
  'awaiting-output': ['waiting', ''],
  'awaiting-decision': ['waiting', ''],
  succeeded: ['done', ''],
  denied: ['problem', 'Pay: Denied'],
  failed: ['problem', 'Pay: Failed'],
  aborted: ['problem', ''],
  interrupted: ['problem', 'Pay: Interrupted – result unknown'],
  invalid: ['problem', 'Pay: Invalid call – not run'],
}

test.each(Object.entries(CALLS) as [ShownCall['status'], readonly [string, string]][])(
  'a call that is %s has a view and an announcement',
  (status, [kind, said]) => {
    const withCall = (startedAt: number): ConversationSnapshot => ({
      ...RUNNING,
      messages: [
        ASKED,
        {
          id: 'm1',
          role: 'assistant',
          parts: [],
          at: 2,
          calls: [
            {
              conversationId: 'c1',
              toolCallId: 't1',
              toolName: 'pay',
              title: 'Pay',
              input: {},
              status,
              startedAt,
              path: ['t1'],
            },
          ],
        },
      ],
    })
    const [call] = withCall(0).messages.at(-1)?.calls ?? []
    expect(call && stateOf(call).kind).toBe(kind)
    expect(stateOf({ ...(call as ShownCall) }).word).toBe(CALL_STATES[status].word)
    const before = announcedBy(RUNNING)
    expect(announce(before, withCall(Date.now() - 5000), en).texts).toEqual(said ? [said] : [])
    if (status === 'executing')
      expect(announce(before, withCall(Date.now()), en).texts, 'a fast call').toEqual([])
  },
)
