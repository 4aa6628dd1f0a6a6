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

/** Whether the message shows the person nothing: it has only reasoning, calls or white space. */
export function isBlank({ message }: Pick<Output, 'message'>): boolean {
  return !message.parts.some((part) =>
    part.type === 'text' ? part.text.trim() !== '' : part.type === 'file',
  )
}

/**
 * Whether the answer ended too early: it is blank, or its finish reason announces a tool call that it doesn't contain.
 */
export function endsEarly(output: Output): boolean {
  const { calls, feedback, finishReason } = output
  if (calls.length > 0 || feedback || /filter|pause/.test(finishReason)) return false
  return finishReason === 'tool-calls' || isBlank(output)
}

/** The reminder after an answer that ended too early. */
export function reminderText(output: Output): string {
  const problem = isBlank(output) ? 'Your last message was empty.' : 'No tool call came.'
  const brevity = output.finishReason === 'length' ? ', briefly: the output limit was reached' : ''
  return `${problem} Call a tool or answer in words${brevity}.`
}

/**
 * Number of equal rounds in a row after which the model is warned (`warn`) or the run ends (`stop`).
 *
 * `steps`: maximum of steps with the same call (name and input). It also ends repetitions whose results differ, by a
 * time or counter for example.
 */
export const REPETITION = { warn: 3, stop: 6, steps: 25 } as const

/** Length of the longest cycle to detect, in steps. */
const MAX_CYCLE_LENGTH = 4

/** Counts for detecting cycles of steps with equal calls and results. */
interface Repetition {
  /** Digests of the newest steps, the newest last. */
  readonly recent: readonly string[]
  /** Number of steps in a row that equal the step n steps before, for each cycle length n from 1. */
  readonly streaks: readonly number[]
  /** `length`: steps of the cycle that was repeated most. `count`: number of its rounds in a row. */
  readonly length: number
  readonly count: number
}

const NO_REPETITION: Repetition = { recent: [], streaks: [], length: 1, count: 0 }

/** Counts one more step's calls with their results. A call with a different result isn't a repetition. */
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

/** Number of steps that contain a call, by a digest of its name and input. */
type CallCounts = ReadonlyMap<string, number>

function countCalls(before: CallCounts, calls: readonly CallState[]): CallCounts {
  const counts = new Map(before)
  for (const call of new Set(calls.map((each) => digestOf([each.toolName, each.modelInput]))))
    counts.set(call, (counts.get(call) ?? 0) + 1)
  return counts
}

/** Digest that ignores placeholders for secrets: their values can't be compared. */
function digestOf(value: unknown): string {
  return textDigest(
    JSON.stringify(value, (_name, each: unknown) => (isPlaceholder(each) ? '' : each)),
  )
}

/** Returns, for example, `3 times in a row`, or `3 times in a row, in rounds of 2 steps`. */
export function repetitionWords({ count, length }: Repetition): string {
  return `${count} times in a row${length > 1 ? `, in rounds of ${length} steps` : ''}`
}

/** Amounts that a run has used, for comparison with its limits. */
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
  /** Start of the current active time, in milliseconds since 1970. Null if the run isn't active. */
  readonly activeSince: number | null
}

/** The first limit that these runs have reached together. Null if they have reached none. Pure. */
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

/** The limit because of which the run's next step is its last answer. Null if there is none. Pure. */
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

/** The run's active time after one of its rows. `run`: the run's state after that row. Pure. */
function activeTime(before: ActiveTime, run: RunState, row: Row): ActiveTime {
  const { activeSince } = before
  // The time before `run-resumed` isn't active time. If the clock was set back, no time is subtracted.
  const isCounted = activeSince !== null && row.type !== 'run-resumed'
  const activeMs = before.activeMs + (isCounted ? Math.max(0, row.at - activeSince) : 0)
  return { activeMs, activeSince: isActive(run) ? row.at : null }
}

/** Whether the run is working: it is neither paused nor waiting. */
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
  /** `run` has the limits of the whole family. If the family has reached a limit, the step is the last answer. */
  | { readonly type: 'step'; readonly run: CountedRun }
  /**
   * The child run must end, because its parent run or the parent's call has ended, or the family has reached a limit.
   */
  | { readonly type: 'end'; readonly end: RunEnd }

/** A run's parent run and child runs, as the run's driver sees them. */
export interface RunFamily {
  /** Checks the family's usage, and reserves one step for this run until `endStep`. */
  admit(run: CountedRun): Promise<AdmissionResult>
  endStep(): void
  /** Facts for the usage of these calls' child runs, as far as it is known in this worker but not stored yet. */
  usageOf(calls: readonly CallState[]): FactDraft[]
  /** Facts for the usage of a call's child run, read from the store, plus the usage in `extraUsage`. */
  storedUsageOf(call: CallState, extraUsage?: RunUsage): Promise<FactDraft[]>
}

/** Default for `limits.steps` of a run and its child runs together. A higher `maxSteps` raises it. */
const DEFAULT_FAMILY_STEPS = 100

/** The limits of a run and its child runs together. Pure. */
export function familyLimits({ limits }: Pick<CountedRun, 'limits'>): CountedRun['limits'] {
  const { maxSteps, steps } = limits
  // If the run has no maximum of steps, the family has none, either.
  if (steps !== undefined || maxSteps < 0) return limits
  return { ...limits, steps: Math.max(DEFAULT_FAMILY_STEPS, maxSteps) }
}

/** Sets the limit that the run's family has reached: the run's next step is then its last answer. Pure. */
export function withReachedLimit(run: CountedRun, limit: LimitName | null): CountedRun {
  return { ...run, limit: run.limit ?? limit }
}

/** Counts that only the run's loop needs, to decide when to stop. */
export interface Counters extends ActiveTime {
  /** Steps in a row with an invalid call. */
  readonly invalidStreak: number
  /** The newest invalid call's error. */
  readonly lastInvalid: CallError | null
  /** Steps in a row in which the vendor paused the turn. */
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
  /** Mode of the reflection on the newest answer. Null if there was none. */
  readonly reflected: ReflectMode | null
  /** Whether the model was reminded that it isn't done: its output was empty, or its plan has open items. */
  readonly wasReminded: boolean
  readonly repetition: Repetition
  readonly callCounts: CallCounts
  /** The limit reached when a step began. The model gets one last call, without tools. */
  readonly limit: LimitName | null
  /** Whether the last answer (see `limit`) exists. */
  readonly isConcluded: boolean
}

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
      // An invalid nested call doesn't count: it is the composite tool's mistake, not the model's.
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

/** `open`: not decided yet, or already counted. */
type Verdict = 'valid' | 'invalid' | 'open'

/**
 * Judges a step whose calls are settled. An unreadable ACTION call (`feedback`) was already counted with the output.
 */
function stepVerdict({ calls, feedback }: RunState): Verdict {
  if (topLevelCalls(calls).some(({ status }) => status === 'invalid')) return 'invalid'
  return feedback ? 'open' : 'valid'
}

function streakAfter({ invalidStreak }: Counters, verdict: Verdict): Partial<Counters> {
  return verdict === 'open' ? {} : { invalidStreak: verdict === 'invalid' ? invalidStreak + 1 : 0 }
}
