import type { RunEnd, UserContent } from '../../protocol/fact.ts'
import { settledFact, settlementAtEnd } from './settle.ts'
import type { Stop, CallsContext, DrivenRun, RunContext } from './run-context.ts'
import type { CountedRun } from './counters.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import {
  contentOf,
  firstFacts,
  forNextRun,
  planDropped,
  withdrawalFacts,
} from './queued-messages.ts'
import type { ConversationState, RunState } from '../../protocol/state.ts'
import { OffstageError } from '../../protocol/error.ts'
import { DELETED, UNFINISHED_REASONS } from '../../protocol/run.ts'
import type { PageApi } from '../../protocol/page-calls.ts'
import { stoppablePage } from '../stopping.ts'

/** Why this driver leaves the run unfinished in the store. Null if it ends the run. */
export function unfinishedReason(stop: Stop | null, error?: unknown): string | null {
  if (stop?.type === 'release') return UNFINISHED_REASONS.disposed
  if (stop?.type === 'taken-over') return UNFINISHED_REASONS.takenOver
  if (stop?.type === 'deleted') return DELETED
  if (!OffstageError.is(error)) return null
  switch (error.code) {
    case 'disposed':
      return UNFINISHED_REASONS.disposed
    case 'conversation-not-found':
      return DELETED
    case 'ownership-lost':
      return error.details?.['deleted'] ? DELETED : UNFINISHED_REASONS.takenOver
    // Thrown if another tab has resumed the waiting run.
    case 'conversation-busy':
      return UNFINISHED_REASONS.takenOver
    default:
      return null
  }
}

/** Cancels the calls that this page executes. The run's new owner decides about them. */
export function stopExecuting({ dispatched, page, agentId }: CallsContext, reason: string): void {
  // Not read from the rows, which may already describe the new owner's executions.
  const executionIds = [...dispatched]
  if (executionIds.length === 0) return
  page.cancelTools({ agentId, executionIds, reason }).catch(() => undefined)
}

/** Stops a run, or only its current step. After a cut step, `renew` makes a new signal. */
export class StopSwitch {
  readonly #page: PageApi
  #controller = new AbortController()
  /** The page's calls. Pending calls reject when the signal aborts. */
  page: PageApi
  stopped: Stop | null = null

  constructor(page: PageApi) {
    this.#page = page
    this.page = stoppablePage(page, this.signal)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Only the first stop counts, but a stop of the run overrides a cut of its step. */
  halt(stop: Stop): void {
    if (this.stopped === null || this.stopped.type === 'cut') this.stopped = stop
    this.#controller.abort(this.stopped)
  }

  /** Makes a new signal after a cut step, unless the run was stopped meanwhile. */
  renew(): void {
    if (this.stopped?.type !== 'cut') return
    this.stopped = null
    this.#controller = new AbortController()
    this.page = stoppablePage(this.#page, this.signal)
  }
}

/** The run that starts when another one ends. */
interface NextRun {
  readonly runId: string
  /** Queued messages that the next run begins with. */
  readonly queued: readonly UserContent[]
  readonly facts: readonly FactDraft[]
}

/**
 * Starts the next run, under the same limits, with all messages queued for `after-run`. Null if no such message is
 * queued, the run was stopped, or it waits for outputs.
 *
 * A person's messages start the next run only after `completed` or `max-steps`; otherwise they are returned to the
 * person. Messages of triggers always start it.
 */
function nextRun(
  state: ConversationState,
  { end, run, signal }: { end: RunEnd; run: RunState; signal: AbortSignal },
  newId: () => string,
): NextRun | null {
  const { outcome } = end
  if (outcome === 'waiting' || isStopped(signal)) return null
  const queued = forNextRun(state, outcome === 'completed' || outcome === 'max-steps')
  const [message, ...otherMessages] = queued
  if (message === undefined) return null
  const runId = newId()
  const { limits, forCall } = run
  const facts = [
    ...firstFacts([contentOf(message), ...otherMessages], limits, forCall && { forCall }),
    ...planDropped(state, message),
  ]
  return { runId, queued, facts: facts.map((fact) => ({ ...fact, runId })) }
}

/** Whether somebody stopped the run, even if it had already finished. */
function isStopped(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Stop).type === 'end'
}

/**
 * Commits the run's end, the ends of its open calls, and the start of the next run, in one transaction. Writes nothing
 * if the run has already ended. `cut`: the step that the end cuts short.
 */
export async function commitEnd(
  context: RunContext,
  { end, cut = null }: { readonly end: RunEnd; readonly cut?: FactDraft | null },
): Promise<void> {
  const { conversation, signal, effects } = context
  let executionIds: readonly string[] = []
  let nextId: string | undefined
  let nextRunId: string | undefined
  // A retried append must use the same id for the next run.
  const newId = (): string => (nextId ??= effects.newId('run_'))
  const isNew = await conversation.append((run) => {
    if (run?.runId !== context.runId || run.end !== null) return null
    const next = nextRun(conversation.state, { end, run, signal }, newId)
    nextRunId = next?.runId
    const settlements = end.outcome === 'waiting' ? [] : run.calls.flatMap(settlementAtEnd)
    executionIds = settlements.flatMap(({ call }) => call.executionId ?? [])
    const cutStep = cut ?? cutOfAbandonedStep(context, run)
    return [
      ...(cutStep ? [cutStep] : []),
      ...context.family.usageOf(settlements.map(({ call }) => call)),
      ...settlements.map(settledFact),
      ...withdrawalFacts(conversation.state, next?.queued),
      { type: 'run-ended', end, ...(next && { next: next.runId }) },
      ...(next?.facts ?? []),
    ]
  })
  if (!isNew) return
  context.nextRunId = nextRunId
  // The calls have ended, so the page may forget their executions.
  if (executionIds.length > 0)
    context.page.acknowledgeTools({ executionIds }).catch(() => undefined)
}

/**
 * Stores the partial text of a step that an earlier page or worker left unfinished, because the run ends without
 * repeating the step.
 */
function cutOfAbandonedStep({ stream }: DrivenRun, run: CountedRun): FactDraft | null {
  const { step: abandoned } = stream.live
  if (!abandoned?.isLeft || abandoned.runId !== run.runId || !run.stepOpen) return null
  const { step, attempt, messageId: id } = abandoned
  const parts = abandoned.parts.map(({ type, text }) => ({ type, text }))
  return { type: 'step-cut', step, attempt, message: { id, parts }, usage: {} }
}
