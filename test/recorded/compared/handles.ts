import type { Message } from '../../../src/protocol/message.ts'
import type { RecordedRun } from '../recording.ts'
import type { Compared, Event, EventOf, RunInPlace } from './compared.ts'
import { mapRuns, withEvents } from './compared.ts'

/*
 * What handles were given by the code before format 2, and are given otherwise now. Where the old events
 * hold enough to say what is meant to come now, they are mended here, and compared in full.
 */

/** The step of a `run-snapshot` whose end its handle has still to get; null: there is none. */
function openStep({ messages }: EventOf<'run-snapshot'>): number | null {
  const outputs = messages.filter(isOutput)
  const last = outputs.at(-1)
  if (!last) return null
  const calls = last.parts.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : []))
  const results = messages.flatMap((message) => (message.role === 'tool' ? message.parts : []))
  const isDone = calls.every((id) => results.some(({ toolCallId }) => toolCallId === id))
  // The last result is stored with the beginning of the next step.
  return calls.length > 0 && isDone ? null : outputs.length
}

function isOutput(message: Message): message is Extract<Message, { readonly role: 'assistant' }> {
  return message.role === 'assistant' && message.partial !== true
}

/**
 * `run-snapshot`: the step under way counts from its beginning, not from its first text; and while calls
 * run, the text of their step isn't shown once more, as that of the next one.
 */
export function withStepUnderWay({ run }: RunInPlace): RecordedRun {
  const events = run.events.map((event): Event => {
    if (event.type !== 'run-snapshot') return event
    const outputs = event.messages.filter(isOutput).length
    const open = openStep(event)
    return open === null ? { ...event, step: outputs + 1 } : { ...event, step: open, text: '' }
  })
  return withEvents(run, events)
}

/** A handle that is adopted while calls run gets the `step-end` of their step. */
export function withAdoptedStepEnds({ run, rows }: RunInPlace): RecordedRun {
  const events: Event[] = []
  let open: number | null = null
  for (const event of run.events) {
    if (event.type === 'run-snapshot') open = openStep(event)
    const isNext = event.type === 'step-start' || event.type === 'run-end'
    const output = isNext && rows.find(({ type, step }) => type === 'model-output' && step === open)
    if (output) {
      const { step, usage, finishReason, rawFinishReason } = output
      events.push({
        type: 'step-end',
        step,
        usage,
        finishReason,
        ...(rawFinishReason !== undefined && { rawFinishReason }),
      } as EventOf<'step-end'>)
    }
    if (isNext || event.type === 'step-end') open = null
    events.push(event)
  }
  return withEvents(run, events)
}

/** Whoever adopts a run that is paused for good gets `run-paused`, too, and not only who takes it up. */
export function withPauseReported({ run }: RunInPlace): RecordedRun {
  const events = run.events.flatMap((event, at): Event[] => {
    const isSaid = run.events[at + 1]?.type === 'run-paused'
    return event.type === 'run-snapshot' && event.paused === 'crash-loop' && !isSaid
      ? [event, { type: 'run-paused', reason: event.paused }]
      : [event]
  })
  return withEvents(run, events)
}

/** A handle whose worker dies gets a `run-snapshot` also where the run has just ended. */
export function withoutLastSnapshot({ run }: RunInPlace): RecordedRun {
  const events = run.events.filter(
    (event, at) =>
      at === 0 || event.type !== 'run-snapshot' || run.events[at + 1]?.type !== 'run-end',
  )
  return withEvents(run, events)
}

/** Drops the start of calls that were stored as started but stopped before they ran. Not all handles got that start. */
export function withoutStartsTakenBack({ run }: RunInPlace): RecordedRun {
  const never = new Set(
    run.events.flatMap((event) =>
      event.type === 'tool-result' &&
      event.output.type === 'error' &&
      event.output.message === 'The run was stopped before this call ran.'
        ? event.toolCallId
        : [],
    ),
  )
  const events = run.events.filter(
    (event) => event.type !== 'tool-execution-start' || !never.has(event.toolCallId),
  )
  return withEvents(run, events)
}

/** How deltas are joined depends on who reads when. */
export function withJoinedDeltas({ run }: RunInPlace): RecordedRun {
  const events: Event[] = []
  for (const event of run.events) {
    const last = events.at(-1)
    if (last && 'delta' in last && 'delta' in event && isSamePart(last, event))
      events[events.length - 1] = { ...last, delta: last.delta + event.delta }
    else events.push(event)
  }
  return withEvents(run, events)
}

type Delta = EventOf<'text-delta' | 'reasoning-delta' | 'tool-input-delta'>

function isSamePart({ delta: _a, ...one }: Delta, { delta: _b, ...other }: Delta): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Runs that another tab resumes while they wait in this one, by scenario. */
const GONE_ON_ELSEWHERE: ReadonlySet<string> = new Set([
  'another tab gives its consent',
  'while a run asks for consent, another tab resumes it',
  'while a run asks for consent, another tab begins another run in its place',
  'while a run asks for consent, another tab gives its consent',
  'while a run asks for consent, another tab deletes the conversation',
])

/**
 * Compares only the events before another tab continued the waiting run. After that, the handle now gets an event for
 * each stored fact. Format 1 sent a `run-snapshot` at the end, or nothing.
 */
export function withoutOtherTabs(recording: Compared, scenario: string): Compared {
  if (!GONE_ON_ELSEWHERE.has(scenario)) return recording
  // Requested by a handle that hadn't ended.
  const answers = recording.answers.filter((each) => !Array.isArray(each) || each[0] !== 'deny')
  return { ...mapRuns(recording, ({ run }) => beforeOtherTabs(run)), answers }
}

function beforeOtherTabs(run: RecordedRun): RecordedRun {
  const asked = run.events.findLastIndex(({ type }) => type === 'tool-approval-request')
  const from = run.events[0]?.type === 'run-snapshot' ? 0 : asked
  return from < 0 ? run : { ...run, events: run.events.slice(0, from + 1), result: null }
}

/** A handle begins where it was asked for, not where an answer had taken the run up on its page. */
const TAKEN_UP_BY_ANSWER = 'an approval after a reload, of a run that nobody took up'

export function withoutWhatCameBefore(run: RecordedRun, scenario: string): RecordedRun {
  if (scenario !== TAKEN_UP_BY_ANSWER) return run
  const first = run.events.findIndex(({ type }) => type === 'tool-result')
  return run.events[0]?.type === 'run-snapshot' ? { ...run, events: run.events.slice(first) } : run
}

/**
 * Hides the messages and the step in snapshots of a run without a message. Format 1 showed them to nobody who followed
 * late.
 */
export function withoutSnapshotsOfMute({ run, rows }: RunInPlace): RecordedRun {
  if (rows[0]?.['message'] !== null) return run
  let started = 1
  const events = run.events.flatMap((event): Event[] => {
    if (event.type === 'run-snapshot') {
      started = Infinity
      return [{ ...event, messages: [], step: 0, text: '' }]
    }
    if (event.type === 'step-start') started = event.step
    return event.type === 'step-end' && event.step < started ? [] : [event]
  })
  return withEvents(run, events)
}
