import type { ExecuteTool, ToolOutcome } from '../protocol/api.ts'
import type { JournalBody } from '../protocol/journal.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { ToolOutput } from '../protocol/message.ts'
import { callContext, isReleased, settle, type Drive, type Settlement } from './drive.ts'
import type { CallState } from './state.ts'
import { whenAborted } from './stoppable.ts'
import { ABORTED, INTERRUPTED, notRegistered, TOO_LATE } from './tool-errors.ts'

/** Calls that run side by side at most. */
const SIDE_BY_SIDE = 4

/** How long a stopped run waits for its tools' last word. Milliseconds. */
const ABORT_GRACE_MS = 40

/** For tools whose descriptor is gone (found after a reload, joined by their execution). */
const DEFAULT_TIMEOUT_MS = 60_000

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
}

/** `inputs`: what runs, where that isn't the call's own input. */
export function startsOf(
  drive: Drive,
  calls: readonly CallState[],
  inputs: ReadonlyMap<string, JsonValue>,
): Start[] {
  return calls.map((call) => ({
    call,
    executionId: drive.effects.newId(`${drive.pageId}:`),
    input: inputs.get(call.toolCallId) ?? call.input,
  }))
}

/** The entry to be committed before a start is handed to the page. */
export function startEntry({ call, executionId, input }: Start): JournalBody {
  return {
    type: 'call-started',
    toolCallId: call.toolCallId,
    executionId,
    ...(input !== call.input && { input }),
  }
}

/** A start that could not be repeated after a crash must be on the disk, not only on its way. */
export function mustBeStrict(starts: readonly Start[]): boolean {
  return starts.some(({ call }) => !call.replayable)
}

/** Commits that the calls start, and runs them. */
export async function executeCalls(
  drive: Drive,
  calls: readonly CallState[],
  inputs: ReadonlyMap<string, JsonValue>,
): Promise<void> {
  const starts = startsOf(drive, calls, inputs)
  await drive.conversation.append(starts.map(startEntry), { strict: mustBeStrict(starts) })
  await runStarts(drive, starts)
}

/** Hands calls whose start is committed to the page, and journals each outcome as it arrives. */
export async function runStarts(drive: Drive, starts: readonly Start[]): Promise<void> {
  if (drive.signal.aborted) return
  for (const { call, input } of starts) {
    const { toolCallId, toolName } = call
    drive.events.push({ type: 'tool-execution-start', toolCallId, toolName, input })
  }
  await Promise.all(starts.map((start) => dispatch(drive, start)))
}

/** Joins an execution that the page still knows: it runs on, or its outcome is waiting. */
export async function joinExecution(
  drive: Drive,
  call: CallState,
  executionId: string,
): Promise<void> {
  await dispatch(drive, { call, executionId, input: call.input })
}

async function dispatch(drive: Drive, start: Start): Promise<void> {
  const request = executionRequest(drive, start)
  const outcome = await Promise.race([
    drive.page.executeTool(request),
    stopped(drive, start.executionId),
  ])
  if (outcome === null || (isReleased(drive.signal) && !DONE.has(outcome.status))) return
  await settle(drive, [settlementOf(start, outcome)])
  // The page may forget it now. Whether that message arrives changes nothing here.
  drive.page.acknowledgeTools([start.executionId]).catch(() => undefined)
}

/** Outcomes that count though the run was let go of: the tool came to its own end. */
const DONE: ReadonlySet<ToolOutcome['status']> = new Set(['succeeded', 'failed', 'invalid'])

function executionRequest(drive: Drive, { call, executionId, input }: Start): ExecuteTool {
  const timeoutMs = drive.tools.get(call.toolName)?.timeoutMs ?? DEFAULT_TIMEOUT_MS
  return {
    ...callContext(drive, call, input),
    executionId,
    idempotencyKey: `${drive.runId}:${call.toolCallId}`,
    timeoutMs,
    deadline: drive.effects.now() + timeoutMs,
    epoch: drive.conversation.epoch,
    // Whatever the person should see before the tool runs is on its way before the request.
    afterBatch: drive.events.flush(),
  }
}

/** Null when the run was stopped and the tool, told to, said nothing more within the grace time. */
async function stopped({ signal, page, agentId, effects }: Drive, id: string): Promise<null> {
  await whenAborted(signal)
  if (!isReleased(signal)) {
    page.cancelTools({ agentId, executionIds: [id], reason: 'stopped' }).catch(() => undefined)
  }
  await effects.sleep(ABORT_GRACE_MS)
  return null
}

function settlementOf({ call, input }: Start, outcome: ToolOutcome): Settlement {
  const note = call.edited ? editedNote(input) : undefined
  const noted = note === undefined ? {} : { note }
  switch (outcome.status) {
    case 'aborted':
      return {
        call,
        status: wasUnknown(outcome.output) ? 'interrupted' : 'aborted',
        output: outcome.output,
      }
    case 'succeeded':
    case 'failed':
    case 'invalid':
      return { call, status: outcome.status, output: outcome.output, ...noted }
    case 'not-started':
      return { call, ...notStarted(call, outcome.reason) }
    default:
      return outcome satisfies never
  }
}

/** The page stopped waiting for a tool that may have had its effect. */
function wasUnknown(output: ToolOutput): boolean {
  return output.type === 'error' && output.code === 'interrupted'
}

function editedNote(input: JsonValue): string {
  return `Note: a person changed the input of this call to ${JSON.stringify(input)} before it ran.`
}

function notStarted(
  call: CallState,
  reason: Extract<ToolOutcome, { status: 'not-started' }>['reason'],
): Pick<Settlement, 'status' | 'output'> {
  switch (reason) {
    case 'deadline':
      return { status: 'failed', output: TOO_LATE }
    case 'cancelled':
      return { status: 'aborted', output: ABORTED }
    case 'not-registered':
      return { status: 'failed', output: notRegistered(call.toolName) }
    case 'stale-epoch':
      return { status: 'interrupted', output: INTERRUPTED }
    default:
      return reason satisfies never
  }
}
