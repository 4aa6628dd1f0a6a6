import type { CompactionPolicy } from '../../protocol/compaction.ts'
import type { StepContext } from '../../protocol/questions.ts'
import type { ModelCall } from '../model/call-model.ts'
import { planCompaction, type PlannedCompaction } from '../model/compaction/plan-compaction.ts'
import { COMPACTION_DEFAULTS, refuseTooSmall, roomOf, sizeOf } from './context-room.ts'
import type { CountedRun } from './counters.ts'
import type { RunContext } from './run-context.ts'
import { summarize, type Summary } from './summarize.ts'

/** Of the room: less isn't worth that the server's cache of the prompt is broken. */
const WORTH_ASKED = 0.15
/** Of what was sent: whoever refused it counts otherwise than the estimate. */
const WORTH_REFUSED = 0.3
/** Of the room, for the summary of what is left out. */
const SUMMARY_PART = 0.15

const COMPACTED =
  'Older results or messages are no longer sent, so that the conversation fits the model. Nothing stored was changed.'

interface Asking extends Pick<ModelCall, 'confirm'> {
  readonly stepContext: StepContext
  /** Before a step is asked for, or after its request was refused as too long. */
  readonly occasion: 'asked' | 'refused'
}

/**
 * Makes room in the model's context, where the next request would not fit; true when something was left out. With
 * an unknown window that is found out from the server, which refuses what is too long.
 */
export async function makeRoom(context: RunContext, asking: Asking): Promise<boolean> {
  const { conversation, runId, signal } = context
  const { stepContext, occasion } = asking
  const { compaction = COMPACTION_DEFAULTS } = stepContext
  if (compaction === false) return false
  const room = roomOf(context, stepContext, compaction)
  if (room === undefined && occasion === 'asked') return false
  const policy = compaction.policy ?? COMPACTION_DEFAULTS.policy
  const plan = (run: CountedRun | null): PlannedCompaction | null => {
    const isOpen = run?.runId === runId && run.end === null
    return isOpen ? planFor(context, run, { ...asking, room, policy }) : null
  }
  const planned = plan(conversation.run)
  if (planned === null) return false
  // What was refused as too long is too long with one more turn, too.
  const mayAsk = occasion === 'asked' && policy !== 'drop-oldest' && conversation.run !== null
  const summary =
    mayAsk && planned.type === 'compacted'
      ? await summarize(context, conversation.run, {
          ...asking,
          maxTokens: (room ?? 0) * SUMMARY_PART,
        })
      : null
  if (signal.aborted) return false
  const made = await conversation.append((run) => {
    const fact = plan(run)
    return fact && [withSummary(fact, summary)]
  })
  if (made) notify(context)
  return made
}

function planFor(
  context: RunContext,
  run: CountedRun,
  {
    stepContext,
    occasion,
    room,
    policy,
  }: Asking & { readonly room: number | undefined; readonly policy: CompactionPolicy },
): PlannedCompaction | null {
  const { state } = context.conversation
  const size = sizeOf(context, run, stepContext)
  const { fixed, sent } = size
  if (occasion === 'refused' || room === undefined)
    return planCompaction(state, { total: sent, fixed, worth: sent * WORTH_REFUSED }, policy)
  refuseTooSmall(stepContext, size)
  if (sent < room) return null
  return planCompaction(state, { total: room, fixed, worth: room * WORTH_ASKED }, policy)
}

function withSummary(fact: PlannedCompaction, summary: Summary | null): PlannedCompaction {
  if (fact.type !== 'compacted' || summary === null) return fact
  const { text, usage } = summary
  return { ...fact, summary: text, ...(usage.modelCalls > 0 && { usage }) }
}

function notify({ conversation, runId, stream }: RunContext): void {
  const step = (conversation.run?.steps ?? 0) + 1
  stream.delta({
    type: 'warning',
    code: 'context-compacted',
    message: COMPACTED,
    runId,
    step,
    attempt: 1,
  })
}
