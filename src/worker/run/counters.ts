import { topLevelCalls, isRunWaiting } from '../../conversation/nested.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { FactOf, ReflectMode, Row, RunEnd } from '../../protocol/fact.ts'
import type { CallError, RunUsage } from '../../protocol/message.ts'
import { type LimitName, type Limits, MOST_CHILDREN, type RunLimits } from '../../protocol/run.ts'
import type { CallState, RunState } from '../../protocol/state.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { StepContext } from '../../protocol/page-calls.ts'
import { pricesMissing } from '../../protocol/model.ts'
import { getPrices } from '../../providers/catalogue/model-facts.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { textDigest } from '../../lib/text-digest.ts'
import { isPlaceholder } from '../../protocol/sealed.ts'

type Output = Pick<FactOf<'model-output'>, 'message' | 'calls' | 'feedback' | 'finishReason'>

/** Whether the message has nothing for the person: only reasoning, calls or white space. */
export function isBlank({ message }: Pick<Output, 'message'>): boolean {
  return !message.parts.some((part) =>
    part.type === 'text' ? part.text.trim() !== '' : part.type === 'file',
  )
}

/** Whether the answer ended too early: it is blank, or it announced a tool call that never came. */
export function endsEarly(output: Output): boolean {
  const { calls, feedback, finishReason } = output
  if (calls.length > 0 || feedback || /filter|pause/.test(finishReason)) return false
  return finishReason === 'tool-calls' || isBlank(output)
}

/** The note on an answer that is empty, or announced a call that never came. */
export function reminderText(output: Output): string {
  const problem = isBlank(output) ? 'Your last message was empty.' : 'No tool call came.'
  const brevity = output.finishReason === 'length' ? ', briefly: the output limit was reached' : ''
  return `${problem} Call a tool or answer in words${brevity}.`
}

/**
 * Rounds in a row after which the model is warned (`warn`), and after which the run ends (`stop`).
 *
 * `steps`: most steps that may ask for a call with the same name and input. A time or counter in a result would
 * otherwise hide a repetition.
 */
export const REPETITION = { warn: 3, stop: 6, steps: 25 } as const

/** Longest repeated cycle to detect, in steps. */
const MAX_CYCLE_LENGTH = 4

/** Detects cycles of steps with equal calls and results. A small, pure fold over the steps. */
interface Repetition {
  /** Signatures of the newest steps, the newest last. */
  readonly recent: readonly string[]
  /** For each cycle length from 1: the number of steps in a row that equal the step that many steps earlier. */
  readonly streaks: readonly number[]
  /** Length in steps of the most repeated cycle. `count`: its rounds in a row. */
  readonly length: number
  readonly count: number
}

const NO_REPETITION: Repetition = { recent: [], streaks: [], length: 1, count: 0 }

/** Counts one more step's calls with their results. An equal call with another result is progress. */
function countRepetition(before: Repetition, calls: readonly CallState[]): Repetition {
  const signature = digestOf(calls.map((call) => [call.toolName, call.modelInput, call.output]))
  const streaks = Array.from({ length: MAX_CYCLE_LENGTH }, (_, index) =>
    before.recent.at(-1 - index) === signature ? (before.streaks[index] ?? 0) + 1 : 0,
  )
  let longest = { length: 1, count: 1 }
  for (const [index, streak] of streaks.entries()) {
    const length = index + 1
    const count = Math.floor(streak / length) + 1
    if (count > longest.count) longest = { length, count }
  }
  return { recent: [...before.recent, signature].slice(-MAX_CYCLE_LENGTH), streaks, ...longest }
}

/** Counts the steps that asked for a call, by name and input. */
type CallCounts = ReadonlyMap<string, number>

/** Counts the calls of one more step. */
function countCalls(before: CallCounts, calls: readonly CallState[]): CallCounts {
  const counts = new Map(before)
  for (const call of new Set(calls.map((each) => digestOf([each.toolName, each.modelInput]))))
    counts.set(call, (counts.get(call) ?? 0) + 1)
  return counts
}

/** Digest without placeholders for secrets: their values can't be compared. */
function digestOf(value: unknown): string {
  return textDigest(
    JSON.stringify(value, (_name, each: unknown) => (isPlaceholder(each) ? '' : each)),
  )
}

/** For example `3 times in a row`, or `3 times in a row, in rounds of 2 steps`. */
export function repetitionWords({ count, length }: Repetition): string {
  return `${count} times in a row${length > 1 ? `, in rounds of ${length} steps` : ''}`
}

/** Amounts of its limits that a run has used. */
export interface Spent {
  readonly steps: number
  readonly usage: Pick<RunUsage, 'totalTokens' | 'costUSD'>
  readonly activeMs: number
}

interface LimitedRun {
  readonly limits: Limits
  /** The limit reached when the current step began. See `Counters`. */
  readonly limit: LimitName | null
}

/** Time that a run was active, computed from its rows. */
interface ActiveTime {
  readonly activeMs: number
  /** Start of the current active time, in milliseconds since 1970. Null: the run waits for somebody. */
  readonly activeSince: number | null
}

/** The first limit that these runs have reached together. Null: none. Pure. */
export function reachedLimit(limits: Limits, spent: readonly Spent[]): LimitName | null {
  const { steps, tokens, costUSD, minutes } = limits
  const sum = (valueOf: (spending: Spent) => number | undefined): number =>
    spent.reduce((total, spending) => total + (valueOf(spending) ?? 0), 0)
  if (steps !== undefined && sum((spending) => spending.steps) >= steps) return 'steps'
  if (tokens !== undefined && sum(({ usage }) => usage.totalTokens) >= tokens) return 'tokens'
  if (costUSD !== undefined && sum(({ usage }) => usage.costUSD) >= costUSD) return 'costUSD'
  if (minutes !== undefined && sum((spending) => spending.activeMs) >= minutes * 60_000)
    return 'minutes'
  return null
}

/** The limit that makes the run's next step its last answer. Null: none. Pure. */
export function limitOf(run: Spent & LimitedRun): LimitName | null {
  return run.limit ?? reachedLimit(run.limits, [run])
}

/**
 * The step's configuration within the run's limits. A last answer gets `toolChoice: 'none'`. Throws `invalid-config` if
 * the run limits cost and the model's prices are unknown.
 */
export function applyLimits(stepContext: StepContext, run: Spent & LimitedRun): StepContext {
  const { model } = stepContext
  if (run.limits.costUSD !== undefined && !getPrices(model))
    throw new OffstageError('invalid-config', pricesMissing(model.model))
  return limitOf(run) === null
    ? stepContext
    : { ...stepContext, model: { ...model, toolChoice: 'none' } }
}

/** The run's active time after one of its rows. `run` is the state after that row, too. Pure. */
function activeTime(before: ActiveTime, run: RunState, row: Row): ActiveTime {
  const { activeSince } = before
  // The time before the run was resumed isn't active time. A clock that was set back must not subtract time.
  const isCounted = activeSince !== null && row.type !== 'run-resumed'
  const activeMs = before.activeMs + (isCounted ? Math.max(0, row.at - activeSince) : 0)
  return { activeMs, activeSince: isActive(run) ? row.at : null }
}

/** Whether the run is working, not waiting for somebody or paused. */
function isActive(run: RunState): boolean {
  return run.end === null && !isRunWaiting(run)
}

const LIMIT_NAMES: readonly LimitName[] = ['steps', 'tokens', 'costUSD', 'minutes']

/** Takes the lower value of each limit. A limit that only one side sets applies, too. Pure. */
export function stricterLimits(a: RunLimits, b: RunLimits): RunLimits {
  const maxSteps = Math.min(stepsOf(a), stepsOf(b))
  const lowest = LIMIT_NAMES.flatMap((name) => {
    const limit = Math.min(a[name] ?? Infinity, b[name] ?? Infinity)
    return limit === Infinity ? [] : [[name, limit] as const]
  })
  return {
    maxSteps: maxSteps === Infinity ? -1 : maxSteps,
    retries: Math.min(a.retries, b.retries),
    maxChildren: Math.min(a.maxChildren ?? MOST_CHILDREN, b.maxChildren ?? MOST_CHILDREN),
    ...Object.fromEntries(lowest),
  }
}

function stepsOf({ maxSteps }: RunLimits): number {
  return maxSteps < 0 ? Infinity : maxSteps
}

/** Whether a run may take its next step. */
export type AdmissionResult =
  /** `run` has the limits of the whole family. If the family has reached one, the step is the last answer. */
  | { readonly type: 'step'; readonly run: CountedRun }
  /** No step: the run is a child. Its parent or the parent's call has ended, or the family has reached a limit. */
  | { readonly type: 'end'; readonly end: RunEnd }

/** A run with its child runs, or with its parent run, as the run's driver sees them. */
export interface RunFamily {
  /** Checks the family's usage, and reserves one step for this run until `endStep`. */
  admit(run: CountedRun): Promise<AdmissionResult>
  endStep(): void
  /** Facts for the usage of these calls' child runs that is known here but not stored yet. */
  usageOf(calls: readonly CallState[]): FactDraft[]
  /** Facts for the usage of a call's child run, read from the store, plus the usage in `extraUsage`. */
  storedUsageOf(call: CallState, extraUsage?: RunUsage): Promise<FactDraft[]>
}

/** Default for `limits.steps` of a run and its child runs together, if `maxSteps` isn't higher. */
const DEFAULT_FAMILY_STEPS = 100

/** The limits of a run and its child runs together. Pure. */
export function familyLimits({ limits }: Pick<CountedRun, 'limits'>): CountedRun['limits'] {
  const { maxSteps, steps } = limits
  // A run without a step limit means no step limit for its child runs, either.
  if (steps !== undefined || maxSteps < 0) return limits
  return { ...limits, steps: Math.max(DEFAULT_FAMILY_STEPS, maxSteps) }
}

/** The run with the limit that its family has reached, which makes its next step the last answer. Pure. */
export function withReachedLimit(run: CountedRun, limit: LimitName | null): CountedRun {
  return { ...run, limit: run.limit ?? limit }
}

/** Counts that tell the loop when to stop a run. Nothing else needs them. */
export interface Counters extends ActiveTime {
  /** Steps in a row with an invalid call. */
  readonly invalidStreak: number
  /** The newest invalid call's error. */
  readonly lastInvalid: CallError | null
  /** Steps in a row that ended with the vendor pausing the turn. */
  readonly pauses: number
  /** Steps in a row that the output limit cut off. */
  readonly cuts: number
  /** Whether the newest output has no text and no file. */
  readonly isBlank: boolean
  /** Whether any call of the run has succeeded. */
  readonly hasSucceeded: boolean
  /** Whether a person's message or a reminder came after the newest output. */
  readonly isAddressed: boolean
  /** Whether the newest answer was rejected. */
  readonly isRejected: boolean
  /** Number of the run's rejected answers. */
  readonly rejections: number
  /** How the newest answer was reflected on. Null: not at all. */
  readonly reflected: ReflectMode | null
  /** Whether the model was reminded that it isn't done: its output was empty, or its plan has open items. */
  readonly wasReminded: boolean
  readonly repetition: Repetition
  readonly callCounts: CallCounts
  /** The limit reached when a step began. The model gets one last call, without tools. */
  readonly limit: LimitName | null
  /** Whether the last answer exists. */
  readonly isConcluded: boolean
}

/** The newest run with its counters. */
export type CountedRun = RunState & Counters

const NOTHING_COUNTED: Counters = {
  invalidStreak: 0,
  lastInvalid: null,
  pauses: 0,
  cuts: 0,
  isBlank: false,
  hasSucceeded: false,
  isAddressed: false,
  isRejected: false,
  rejections: 0,
  reflected: null,
  wasReminded: false,
  repetition: NO_REPETITION,
  callCounts: new Map(),
  limit: null,
  isConcluded: false,
  activeMs: 0,
  activeSince: null,
}

/** The run after a row, with updated counters. `before` is the counted run before the row. Pure. */
export function countRow(
  before: CountedRun | null,
  run: RunState | null,
  row: Row,
): CountedRun | null {
  if (run === null) return null
  if (row.type === 'run-started' || before === null)
    return { ...run, ...NOTHING_COUNTED, activeSince: row.at }
  const counted = { ...before, ...run }
  return row.runId === run.runId
    ? { ...counted, ...changedCounters(counted, row), ...activeTime(before, run, row) }
    : counted
}

/** The counters that a row of the run changes. */
function changedCounters(run: CountedRun, row: Row): Partial<Counters> {
  switch (row.type) {
    case 'step-started':
      return row.limit === undefined ? {} : { limit: row.limit }
    case 'model-output':
      return {
        isConcluded: run.limit !== null,
        ...streakAfter(run, row.feedback ? 'invalid' : run.calls.length > 0 ? 'open' : 'valid'),
        lastInvalid: row.feedback?.error ?? run.lastInvalid,
        pauses: row.finishReason === 'pause' ? run.pauses + 1 : 0,
        cuts: row.finishReason === 'length' ? run.cuts + 1 : 0,
        isBlank: isBlank(row),
        isAddressed: row.reminder !== undefined,
        isRejected: false,
        reflected: null,
        wasReminded: run.wasReminded || row.reminder !== undefined,
        ...(run.calls.length === 0 && { repetition: NO_REPETITION }),
        callCounts: countCalls(run.callCounts, run.calls),
      }
    case 'message-delivered':
      return { isAddressed: true }
    case 'answer-rejected':
      return { isRejected: true, rejections: run.rejections + 1 }
    case 'answer-reflected':
      return { reflected: row.mode }
    case 'call-settled': {
      const { status, output } = row
      // An invalid nested call is its tool's mistake, not the model's.
      const isInvalid = status === 'invalid' && output.type === 'error' && row.path.length === 1
      return {
        ...(run.calls.every(isSettled) && {
          ...streakAfter(run, stepVerdict(run)),
          repetition: countRepetition(run.repetition, topLevelCalls(run.calls)),
        }),
        ...(status === 'succeeded' && { hasSucceeded: true }),
        ...(isInvalid && { lastInvalid: { code: output.code, message: output.message } }),
      }
    }
    default:
      return {}
  }
}

/** `open`: undecided, or already counted. */
type Verdict = 'valid' | 'invalid' | 'open'

/** Judges a step whose calls are settled. The output already counted calls that could not be read. */
function stepVerdict({ calls, feedback }: RunState): Verdict {
  if (topLevelCalls(calls).some(({ status }) => status === 'invalid')) return 'invalid'
  return feedback ? 'open' : 'valid'
}

function streakAfter({ invalidStreak }: Counters, verdict: Verdict): Partial<Counters> {
  return verdict === 'open' ? {} : { invalidStreak: verdict === 'invalid' ? invalidStreak + 1 : 0 }
}
