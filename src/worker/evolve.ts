import type { CallFacts, JournalEntry } from '../protocol/journal.ts'
import type { AssistantMessage, ToolCallPart } from '../protocol/message.ts'
import { isSoonAfter } from './crash-loop.ts'
import { countRepetition, NO_REPETITION } from './repetition.ts'
import { isSettled, type CallState, type RunState } from './state.ts'
import { addUsage } from './usage.ts'

type ModelOutput = Extract<JournalEntry, { type: 'model-output' }>

/** The next state of a conversation's newest run. Pure; `null` before the first run. */
export function evolve(run: RunState | null, entry: JournalEntry): RunState | null {
  if (entry.type === 'run-started') return startRun(entry)
  // What waited for an output waits no more: nothing of it is left to go on from.
  if (entry.type === 'history-cleared') return run && { ...run, calls: [] }
  if (run === null || entry.runId !== run.runId) return run
  switch (entry.type) {
    case 'step-started':
      return {
        ...run,
        stepOpen: true,
        stepStartedAt: entry.at,
        stepResumes:
          entry.resumed && isSoonAfter(run.stepStartedAt, entry.at) ? run.stepResumes + 1 : 0,
      }
    case 'attempt-failed':
      return { ...run, usage: addUsage(run.usage, entry.usage) }
    case 'model-output':
      return takeOutput(run, entry)
    case 'approval-requested':
      return withCall(run, entry.toolCallId, {
        status: 'awaiting-approval',
        input: entry.input,
        decidedBy: entry.by,
      })
    case 'approval-answered':
      return entry.approved
        ? withCall(run, entry.toolCallId, {
            status: 'approved',
            ...(entry.input !== undefined && { input: entry.input, edited: true }),
          })
        : run
    case 'question-asked':
      return withCall(run, entry.toolCallId, { status: 'awaiting-answer' })
    case 'question-answered':
      return run
    case 'output-requested':
      return withCall(run, entry.toolCallId, {
        status: 'awaiting-output',
        input: entry.input,
        asks: entry.asks,
      })
    case 'call-started':
      return startCall(run, entry)
    case 'call-withdrawn':
      return withdrawCall(run, entry)
    case 'call-interrupted':
      return withCall(run, entry.toolCallId, { status: 'awaiting-decision' })
    case 'call-settled':
      return settleCall(run, entry)
    case 'run-parked':
      return { ...run, parked: entry.reason }
    case 'run-continued':
      return { ...run, parked: null, stepResumes: 0 }
    case 'run-ended':
      return { ...run, stepOpen: false, parked: null, end: entry.end }
    case 'messages-imported':
      return run
    default:
      return entry satisfies never
  }
}

function startRun(entry: Extract<JournalEntry, { type: 'run-started' }>): RunState {
  return {
    runId: entry.runId ?? '',
    limits: entry.limits,
    steps: 0,
    stepResumes: 0,
    stepStartedAt: 0,
    stepOpen: false,
    calls: [],
    feedback: null,
    finishReason: 'other',
    invalidStreak: 0,
    lastInvalid: null,
    repetition: NO_REPETITION,
    usage: { modelCalls: 0 },
    parked: null,
    end: null,
  }
}

function takeOutput(run: RunState, entry: ModelOutput): RunState {
  const calls = callsOf(entry.message, entry.calls)
  const invalid = entry.feedback !== undefined
  return {
    ...run,
    steps: run.steps + 1,
    stepResumes: 0,
    stepOpen: false,
    calls,
    feedback: entry.feedback ?? null,
    finishReason: entry.finishReason,
    // A step with calls is judged when they settle; only a step without any is judged here.
    invalidStreak: invalid ? run.invalidStreak + 1 : calls.length === 0 ? 0 : run.invalidStreak,
    lastInvalid: entry.feedback ?? run.lastInvalid,
    repetition: countRepetition(run.repetition, calls),
    usage: addUsage(run.usage, entry.usage),
  }
}

function callsOf(message: AssistantMessage, facts: readonly CallFacts[]): CallState[] {
  const byId = new Map(facts.map((fact) => [fact.toolCallId, fact]))
  return message.parts.flatMap((part) =>
    part.type === 'tool-call' ? [proposed(part, byId.get(part.toolCallId))] : [],
  )
}

function proposed(part: ToolCallPart, facts: CallFacts | undefined): CallState {
  return {
    toolCallId: part.toolCallId,
    toolName: part.toolName,
    input: part.input ?? null,
    modelInput: part.input ?? null,
    edited: false,
    error: part.error ?? null,
    known: facts?.known ?? false,
    parallel: facts?.parallel ?? false,
    finishes: facts?.finishes ?? false,
    quoted: facts?.quoted ?? false,
    asks: false,
    status: 'proposed',
    executionId: null,
    starts: 0,
    withdrawals: 0,
    mayHaveBegun: false,
    decidedBy: null,
    startedAt: 0,
  }
}

function startCall(
  run: RunState,
  entry: Extract<JournalEntry, { type: 'call-started' }>,
): RunState {
  const call = run.calls.find((candidate) => candidate.toolCallId === entry.toolCallId)
  return withCall(run, entry.toolCallId, {
    status: 'executing',
    executionId: entry.executionId,
    starts: call && isSoonAfter(call.startedAt, entry.at) ? call.starts + 1 : 1,
    startedAt: entry.at,
    mayHaveBegun: entry.repeats,
    decidedBy: entry.by,
    ...(entry.input !== undefined && { input: entry.input }),
  })
}

/**
 * As it was proposed: what a hook made of its input is made again, what a person wrote stays. Its tool
 * may be another one now, so nothing is assumed of it any more.
 */
function withdrawCall(
  run: RunState,
  entry: Extract<JournalEntry, { type: 'call-withdrawn' }>,
): RunState {
  const call = run.calls.find((candidate) => candidate.toolCallId === entry.toolCallId)
  if (call === undefined) return run
  return withCall(run, entry.toolCallId, {
    status: 'proposed',
    executionId: null,
    starts: call.starts - 1,
    withdrawals: call.withdrawals + 1,
    parallel: false,
    decidedBy: null,
    ...(!call.edited && { input: call.modelInput }),
  })
}

function settleCall(
  run: RunState,
  entry: Extract<JournalEntry, { type: 'call-settled' }>,
): RunState {
  const settled = withCall(run, entry.toolCallId, { status: entry.status })
  const invalid = entry.status === 'invalid' && entry.output.type === 'error'
  const lastInvalid = invalid
    ? { code: entry.output.code, message: entry.output.message }
    : run.lastInvalid
  if (!settled.calls.every(isSettled)) return { ...settled, lastInvalid }
  const anyInvalid = settled.calls.some((call) => call.status === 'invalid')
  return {
    ...settled,
    lastInvalid,
    invalidStreak: anyInvalid ? run.invalidStreak + 1 : run.feedback ? run.invalidStreak : 0,
  }
}

function withCall(run: RunState, toolCallId: string, change: Partial<CallState>): RunState {
  return {
    ...run,
    calls: run.calls.map((call) =>
      call.toolCallId === toolCallId ? { ...call, ...change } : call,
    ),
  }
}
