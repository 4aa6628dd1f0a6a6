import type { RunEnd } from '../../protocol/fact.ts'
import { settledFact, settlementAtEnd } from './settlement.ts'
import { type RunContext } from './run-context.ts'
import type { CountedRun } from './counters.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { nextRun } from './next-run.ts'
import { returns } from './queued-messages.ts'

/**
 * Commits the run's end, the ends of its open calls, and the start of the run that is queued after it, in one
 * transaction. Writes nothing if the run has already ended. `cut` is the step that the end cuts short.
 */
export async function commitEnd(
  context: RunContext,
  { end, cut = null }: { readonly end: RunEnd; readonly cut?: FactDraft | null },
): Promise<void> {
  const { conversation, signal, effects } = context
  let executionIds: readonly string[] = []
  let nextId: string | undefined
  let nextRunId: string | undefined
  // A retried append must use the same id.
  const newId = (): string => (nextId ??= effects.newId('run_'))
  const isNew = await conversation.append((run) => {
    if (run?.runId !== context.runId || run.end !== null) return null
    const next = nextRun(conversation.state, { end, run, signal }, newId)
    nextRunId = next?.runId
    const settlements = end.outcome === 'waiting' ? [] : run.calls.flatMap(settlementAtEnd)
    executionIds = settlements.flatMap(({ call }) => call.executionId ?? [])
    const lost = cut ?? cutOfLeft(context, run)
    return [
      ...(lost ? [lost] : []),
      ...context.family.usageOf(settlements.map(({ call }) => call)),
      ...settlements.map(settledFact),
      ...returns(conversation.state, next?.queued),
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

/** A step that an earlier page or worker left unfinished. The run ends, so its partial text is stored as it is. */
function cutOfLeft({ stream }: RunContext, run: CountedRun): FactDraft | null {
  const { step: left } = stream.live
  if (!left?.isLeft || left.runId !== run.runId || !run.stepOpen) return null
  const { step, attempt, messageId: id } = left
  const parts = left.parts.map(({ type, text }) => ({ type, text }))
  return { type: 'step-cut', step, attempt, message: { id, parts }, usage: {} }
}
