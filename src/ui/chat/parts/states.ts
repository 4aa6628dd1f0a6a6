import { isUnfinished, visibleText } from '../../../conversation/index.ts'
import type { ConversationSnapshot, FinishReason, RunOutcome } from '../../../index.ts'
import type { Words } from '../words/words.ts'
import type { EngineLoading } from './engine-loading.ts'
import { describeFailure } from './failures.ts'
import { stateOf } from './shown-call.ts'

/** State that affects a conversation's view but isn't in its snapshot. */
export interface ChatEnvironment {
  readonly isOffline?: boolean
  /** Whether conversations survive a reload. Default true. */
  readonly isPersisted?: boolean
  /** Progress of a model that loads in the browser. */
  readonly loading?: EngineLoading | null
  /** True once another page has deleted the conversation. */
  readonly isDeleted?: boolean
  /** The run that was interrupted and continues on this page. */
  readonly resumedRunId?: string | undefined
  /** Milliseconds until the next attempt at the model request. Default: the full delay. */
  readonly retryInMs?: number
  /** Text of the message that wasn't sent. */
  readonly unsent?: string | undefined
  /** True if the snapshot's error is already shown next to the clicked button. */
  readonly isErrorShown?: boolean
}

/** All states of a conversation, its run, its storage and its connection. Calls have `CALL_STATES`. */
export type StateName =
  | ConversationSnapshot['status']
  | ConversationSnapshot['ownership']
  | NonNullable<ConversationSnapshot['paused']>
  | RunOutcome['outcome']
  | Exclude<FinishReason, 'stop' | 'tool-calls' | 'error' | 'other'>
  | 'offline'
  | 'online'
  | 'not-kept'
  | 'set-aside'
  | 'gone'
  | 'let-go'
  | 'engine-loading'
  | 'resumed'
  | 'thinking'
  | 'retrying'
  | 'queued'
  | 'unsent'
  | 'not-begun'

/** Button that a state offers. */
export type StateButton =
  | 'stop'
  | 'cancel'
  | 'continue'
  | 'retry'
  | 'reply'
  | 'take-over'
  | 'edit'
  | 'remove'
  | 'answer'

export interface Situation {
  readonly snapshot: ConversationSnapshot
  readonly words: Words
  readonly around: ChatEnvironment
}

export interface StateEntry {
  /** `notice`: below the messages. `log`: after the last message. `own`: in a view of its own. Default: not shown. */
  readonly place?: 'notice' | 'log' | 'own'
  /** Text to show, and to announce when the state begins. A key of `Words`, or a function. */
  readonly text?: StateText
  /** Text to announce instead of `text`. Null announces nothing. */
  readonly announcement?: StateText | null
  readonly offers?: StateButton
  /** Announced again for each run, even if the state hasn't changed. */
  readonly isOfRun?: true
}

export type StateText =
  | { [Key in keyof Words]: Words[Key] extends string ? Key : never }[keyof Words]
  | ((situation: Situation) => string)

export function textIn(situation: Situation, text: StateText | null = null): string {
  return typeof text === 'function' ? text(situation) : text === null ? '' : situation.words[text]
}

const notice = (text: StateText, offers?: StateButton): StateEntry => ({
  place: 'notice',
  text,
  ...(offers && { offers }),
})

const outcomeLine = (text: StateText, offers?: StateButton): StateEntry => ({
  ...notice(text, offers),
  place: 'log',
  isOfRun: true,
})

const pausedText: StateText = ({ words, snapshot: { paused } }) =>
  paused ? words.paused[paused] : ''
const paused = notice(pausedText, 'continue')

const cutOffText: StateText = ({ words, snapshot: { ended } }) =>
  (ended?.outcome === 'completed' && words.endings[ended.finishReason ?? 'stop']) ||
  words.announceStopped

const limit = outcomeLine(
  ({ words, snapshot: { ended } }) =>
    words.limitReached(ended?.outcome === 'limit' ? ended.limit : 'steps'),
  'continue',
)

function failureText({ words, snapshot: { ended, error } }: Situation): string {
  const reason = ended?.outcome === 'failed' ? ended.error : error
  return reason ? describeFailure(reason, words).text : ''
}

const failed: StateEntry = {
  ...notice(failureText, 'retry'),
  announcement: (situation) => situation.words.announceFailed(failureText(situation)),
}

/** Text, announcement and button of each state, in the order in which they are shown. */
export const STATES: Readonly<Record<StateName, StateEntry>> = {
  // The conversation
  loading: { place: 'own', text: 'loading', announcement: null },
  idle: {},
  waiting: { place: 'own', offers: 'answer' },
  gone: notice('gone'),
  'let-go': notice('letGo'),
  queued: { place: 'own', text: 'queued', offers: 'remove' },
  unsent: { place: 'own', text: 'unsent', offers: 'edit' },
  // The run
  running: {
    announcement: ({ snapshot, words }) => (awaitsModel(snapshot) ? words.reasoningUnderWay : ''),
    offers: 'stop',
    isOfRun: true,
  },
  thinking: { place: 'log', text: 'reasoningUnderWay', announcement: null },
  resumed: notice('resumed'),
  'engine-loading': {
    place: 'own',
    text: ({ words, around: { loading } }) =>
      words.engineLoading(visibleText(loading?.model ?? '')),
    offers: 'cancel',
  },
  // Outcomes of a run
  completed: { announcement: 'announceDone', isOfRun: true },
  pause: outcomeLine(cutOffText),
  length: outcomeLine(cutOffText, 'reply'),
  'content-filter': outcomeLine(cutOffText),
  empty: outcomeLine(cutOffText, 'reply'),
  'max-steps': limit,
  limit,
  aborted: {
    // A stopped answer or call shows this itself. The text is only for messages without an answer.
    ...outcomeLine(({ words, snapshot }) =>
      snapshot.messages.at(-1)?.role === 'user' ? words.announceStopped : '',
    ),
    announcement: 'announceStopped',
  },
  failed: { ...failed, place: 'own', isOfRun: true },
  'not-begun': failed,
  // The storage
  'not-kept': notice('inMemory'),
  'set-aside': notice('setAside'),
  'crash-loop': paused,
  'storage-full': paused,
  'storage-blocked': paused,
  'storage-newer': notice(pausedText),
  'storage-offline': paused,
  'storage-failed': paused,
  'part-unavailable': paused,
  // The connection
  online: { announcement: 'online' },
  offline: notice('offline'),
  none: {},
  'this-tab': {},
  'other-tab': notice('otherTab', 'take-over'),
  'other-device': notice('otherDevice', 'take-over'),
  retrying: {
    place: 'log',
    text: (situation) => retryText(situation, situation.around.retryInMs),
    offers: 'stop',
    announcement: (situation) => retryText(situation),
  },
}

function retryText(
  { snapshot: { run }, words }: Pick<Situation, 'snapshot' | 'words'>,
  ms = run?.retry?.delayMs ?? 0,
): string {
  if (!run?.retry) return ''
  return `${words.retryIn(String(Math.ceil(ms / 1000)))}: ${describeFailure(run.retry.error, words).text}`
}

/** Returns the current states of a conversation, in the order of `STATES`. */
export function statesOf(
  snapshot: ConversationSnapshot,
  around: ChatEnvironment,
): readonly StateName[] {
  const names = namesOf(snapshot, around)
  return (Object.keys(STATES) as StateName[]).filter((name) => names.has(name))
}

function namesOf(snapshot: ConversationSnapshot, around: ChatEnvironment): ReadonlySet<unknown> {
  const { status, ownership, paused, run, runId, ended, error, queued, setAside } = snapshot
  const {
    isOffline,
    isPersisted = true,
    loading,
    isDeleted,
    resumedRunId,
    unsent,
    isErrorShown,
  } = around
  const isElsewhere = ownership === 'other-tab' || ownership === 'other-device'
  const isOpen = runId !== undefined
  return new Set<StateName | FinishReason | false | null | undefined>([
    status,
    ownership,
    paused,
    !isOpen && ended && nameOfEnd(ended),
    !isOpen && error && ended?.outcome !== 'failed' && !isErrorShown && 'not-begun',
    awaitsModel(snapshot) && !loading && 'thinking',
    run?.retry && 'retrying',
    isOpen && runId === resumedRunId && !isElsewhere && status !== 'waiting' && 'resumed',
    loading && 'engine-loading',
    isOffline ? 'offline' : 'online',
    !isPersisted && 'not-kept',
    isDeleted && 'gone',
    setAside && 'set-aside',
    queued.length > 0 && 'queued',
    unsent !== undefined && 'unsent',
  ])
}

function nameOfEnd(ended: RunOutcome): StateName | FinishReason {
  // If another tab took the run over, `ownership` already says so.
  if (ended.outcome === 'aborted' && isUnfinished(ended))
    return ended.reason === 'disposed' ? 'let-go' : 'none'
  return (ended.outcome === 'completed' && ended.finishReason) || ended.outcome
}

/** Whether the run waits for the model: its next text hasn't arrived, and no call is running. */
function awaitsModel({ messages, run, status }: ConversationSnapshot): boolean {
  if (status !== 'running' || run?.retry) return false
  const last = messages.findLast(({ role }) => role === 'user' || role === 'assistant')
  if (last?.role !== 'assistant') return true
  if (last.calls?.some((call) => stateOf(call).kind === 'working')) return false
  if (last.at !== undefined) return last.calls !== undefined || last.partial === true
  return last.parts.every((part) => part.type === 'text' && part.text === '')
}
