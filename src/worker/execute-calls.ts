import type { ExecuteTool, ToolOutcome } from '../protocol/questions.ts'
import type { DecidedBy } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { CallState } from '../protocol/state.ts'
import { DECIDED_BY_NOTHING, decidedBy } from './decided-by.ts'
import { callContext, isLeftOpen, settle, type Drive, type Settlement } from './drive.ts'
import type { FactDraft } from './fact-draft.ts'
import { whenAborted } from './stoppable.ts'
import { takenOver } from './store/record.ts'
import { ABORTED, everChanging, INTERRUPTED, TOO_LATE } from './tool-errors.ts'

/** Calls that run side by side at most. */
const SIDE_BY_SIDE = 4

/** How long a stopped run waits for its tools' last word. Milliseconds. */
const ABORT_GRACE_MS = 40

/** For tools whose descriptor is gone (found after a reload, joined by their execution). */
const DEFAULT_TIMEOUT_MS = 60_000

/** How often a call is decided anew because its tool had changed when it was to start. */
const MAX_WITHDRAWALS = 3

/** The calls to run next: the first, and the ones right after it that may run beside it. */
export function nextGroup(open: readonly CallState[]): readonly CallState[] {
  const first = open[0]
  if (!first?.parallel) return open.slice(0, 1)
  const end = open.findIndex((call) => !call.parallel || !RUNNABLE.has(call.status))
  return open.slice(0, Math.min(end === -1 ? open.length : end, SIDE_BY_SIDE))
}

const RUNNABLE: ReadonlySet<CallState['status']> = new Set(['proposed', 'approved'])

/** A call on its way to the page. */
export interface Start {
  readonly call: CallState
  readonly executionId: string
  readonly input: JsonValue
  readonly by: DecidedBy
  /** An earlier execution may have had its effect. */
  readonly repeats: boolean
}

/** What runs: as it was decided just now, else as the facts say that it was decided, else as it stands. */
export function startsOf(drive: Drive, calls: readonly CallState[], repeats = false): Start[] {
  return calls.map((call) => {
    const ready = drive.ready.get(call.toolCallId)
    const tool = drive.tools.get(call.toolName)
    return {
      call,
      executionId: drive.effects.newId(`${drive.pageId}:`),
      input: ready ? ready.input : call.input,
      by: ready?.by ?? call.decidedBy ?? (tool ? decidedBy(tool) : DECIDED_BY_NOTHING),
      repeats,
    }
  })
}

/** The fact to be committed before a start is handed to the page. */
export function startFact({ call, executionId, input, by, repeats }: Start): FactDraft {
  return {
    type: 'call-started',
    path: call.path,
    executionId,
    by,
    repeats,
    ...(input !== call.input && { input }),
  }
}

/** A start that could not be repeated after a crash must be on the disk, not only on its way. */
export function mustBeStrict(starts: readonly Start[]): boolean {
  return starts.some(({ by }) => !by.replayable)
}

/** Commits that the calls start, and runs them. `repeats`: they may have run before. */
export async function executeCalls(
  drive: Drive,
  calls: readonly CallState[],
  repeats = false,
): Promise<void> {
  const starts = startsOf(drive, calls, repeats)
  // Decided at the commit, which may have waited for the storage: nothing starts in a stopped run.
  const facts = (): FactDraft[] | null => (drive.signal.aborted ? null : starts.map(startFact))
  const isCommitted = await drive.conversation.append(facts, { strict: mustBeStrict(starts) })
  if (isCommitted) await runStarts(drive, starts)
}

/** Hands calls whose start is committed to the page, and commits each outcome as it arrives. */
export async function runStarts(drive: Drive, starts: readonly Start[]): Promise<void> {
  if (drive.signal.aborted) return takeBack(drive, starts)
  await Promise.all(
    starts.map(async (start) => {
      const open = await dispatch(drive, start)
      if (open?.status === 'not-started') await decideAnew(drive, start)
      // One of unknown outcome stays executing: the loop finds it so, and goes by the crash table.
    }),
  )
}

/** The run was stopped while the starts were committed: nobody was asked to run them. */
export async function takeBack(drive: Drive, starts: readonly Start[]): Promise<void> {
  const undone = starts.filter(({ repeats }) => !repeats)
  if (undone.length === 0) return
  await drive.conversation.append(
    undone.map(({ call: { path } }) => ({ type: 'call-withdrawn', path })),
  )
}

/**
 * Joins an execution that the page was asked for: it runs on, or its outcome is waiting. Returns what is
 * known when that is not enough to settle the call, else null.
 */
export function joinExecution(
  drive: Drive,
  call: CallState,
  executionId: string,
): Promise<OpenOutcome | null> {
  const { input, mayHaveBegun: repeats, decidedBy: by } = call
  return dispatch(drive, { call, executionId, input, repeats, by: by ?? DECIDED_BY_NOTHING })
}

/** What doesn't settle a call by itself. */
export type OpenOutcome = Extract<ToolOutcome, { status: 'unknown' | 'not-started' }>

async function dispatch(drive: Drive, start: Start): Promise<OpenOutcome | null> {
  const { executionId } = start
  drive.dispatched.add(executionId)
  const outcome = await Promise.race([
    drive.page.executeTool(executionRequest(drive, start)),
    stopped(drive, executionId),
  ])
  if (outcome === null || (isLeftOpen(drive.signal) && !DONE.has(outcome.status))) return null
  drive.dispatched.delete(executionId)
  if (!drive.signal.aborted && isOpen(outcome, start)) return outcome
  await settle(drive, [settlementOf(start, outcome)])
  // The page may forget it now. Whether that message arrives changes nothing here.
  drive.page.acknowledgeTools({ executionIds: [executionId] }).catch(() => undefined)
  return null
}

function isOpen(outcome: ToolOutcome, { call, executionId }: Start): outcome is OpenOutcome {
  if (outcome.status === 'unknown') return true
  if (outcome.status !== 'not-started') return false
  // Of an execution that was joined nobody knows by what it was refused: by an owner before, perhaps.
  return call.executionId === executionId || UNDECIDED.has(outcome.reason)
}

/** Outcomes that count though the run is stopped here: the tool came to its own end. */
const DONE: ReadonlySet<ToolOutcome['status']> = new Set(['succeeded', 'failed', 'invalid'])

/** The call did not begin, since what was decided of it doesn't hold any more. */
async function decideAnew(drive: Drive, { call, repeats }: Start): Promise<void> {
  // This execution did not begin, but an earlier one may have.
  if (repeats) return settle(drive, [{ call, status: 'interrupted', output: INTERRUPTED }])
  return withdraw(drive, call)
}

/** A call that is proven not to have happened is decided anew, with the tools as they are now. */
export async function withdraw(drive: Drive, call: CallState): Promise<void> {
  const { path, toolCallId, toolName } = call
  if (call.withdrawals >= MAX_WITHDRAWALS) {
    return settle(drive, [{ call, status: 'failed', output: everChanging(toolName) }])
  }
  drive.tools.set(await drive.page.currentTools({ agentId: drive.agentId }))
  drive.ready.delete(toolCallId)
  await drive.conversation.append([{ type: 'call-withdrawn', path }])
}

type NotStartedReason = Extract<ToolOutcome, { status: 'not-started' }>['reason']

/** What was decided of the call doesn't hold any more. */
const UNDECIDED: ReadonlySet<NotStartedReason> = new Set([
  'changed',
  'not-registered',
  'unconfirmed',
])

function executionRequest(drive: Drive, start: Start): ExecuteTool {
  const { call, executionId, input, by } = start
  const { storeId, epoch, knownAt } = drive.conversation.lease
  return {
    ...callContext(drive, call, input),
    executionId,
    idempotencyKey: `${drive.runId}:${call.toolCallId}`,
    timeoutMs: drive.tools.get(call.toolName)?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    definition: by.definition,
    storeId,
    epoch,
    leasedAt: knownAt,
    // Whatever the person should see before the tool runs is on its way before the request.
    afterBatch: drive.stream.flush(),
  }
}

/** Null when the run was stopped and the tool, told to, said nothing more within the grace time. */
async function stopped({ signal, page, agentId, effects }: Drive, id: string): Promise<null> {
  await whenAborted(signal)
  if (!isLeftOpen(signal)) {
    page.cancelTools({ agentId, executionIds: [id], reason: 'stopped' }).catch(() => undefined)
  }
  await effects.sleep(ABORT_GRACE_MS)
  return null
}

function settlementOf({ call, input }: Start, outcome: ToolOutcome): Settlement {
  const note = call.edited ? editedNote(input) : undefined
  const noted = note === undefined ? {} : { note }
  switch (outcome.status) {
    case 'unknown':
      return { call, status: 'interrupted', output: outcome.output }
    case 'aborted':
      return { call, status: 'aborted', output: outcome.output }
    case 'succeeded':
    case 'failed':
    case 'invalid':
      return { call, status: outcome.status, output: outcome.output, ...noted }
    case 'not-started':
      return { call, ...notStarted(outcome.reason) }
    default:
      return outcome satisfies never
  }
}

function editedNote(input: JsonValue): string {
  return `Note: a person changed the input of this call to ${JSON.stringify(input)} before it ran.`
}

function notStarted(reason: NotStartedReason): Pick<Settlement, 'status' | 'output'> {
  switch (reason) {
    case 'deadline':
      return { status: 'failed', output: TOO_LATE }
    case 'stale-epoch':
      throw takenOver()
    case 'cancelled':
    case 'changed':
    case 'not-registered':
    case 'unconfirmed':
      return { status: 'aborted', output: ABORTED }
    default:
      return reason satisfies never
  }
}
