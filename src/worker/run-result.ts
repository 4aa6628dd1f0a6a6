import type { JournalEntry, RunEnd } from '../protocol/journal.ts'
import type { AssistantMessage, FinishReason } from '../protocol/message.ts'
import type { RunResult, RunToolCall } from '../protocol/run.ts'
import { addUsage } from './usage.ts'

/** What a run came to, from its entries alone. */
export function runResult(
  ref: { readonly runId: string; readonly conversationId: string },
  entries: readonly JournalEntry[],
  end: RunEnd,
): RunResult {
  const calls = new Map<string, RunToolCall>()
  let text = ''
  let steps = 0
  let usage = { modelCalls: 0 }
  let finishReason: FinishReason = 'other'
  const finishing = new Set<string>()
  for (const entry of entries) {
    switch (entry.type) {
      case 'model-output':
        for (const call of entry.calls) if (call.finishes) finishing.add(call.toolCallId)
        steps += 1
        usage = addUsage(usage, entry.usage)
        finishReason = entry.finishReason
        text = textOf(entry.message)
        for (const call of callsOf(entry.message)) calls.set(call.toolCallId, call)
        break
      case 'attempt-failed':
        usage = addUsage(usage, entry.usage)
        break
      case 'run-ended':
        if (entry.partial) text = entry.partial
        break
      case 'call-settled':
        applyToCall(calls, entry)
        // What `finish_task` was given is the run's last word.
        if (finishing.has(entry.toolCallId) && entry.output.type === 'text') {
          text = entry.output.value
        }
        break
      default:
        applyToCall(calls, entry)
    }
  }
  const { runId, conversationId } = ref
  return {
    runId,
    conversationId,
    text,
    toolCalls: [...calls.values()],
    steps,
    usage,
    finishReason,
    ...end,
  }
}

export function textOf(message: AssistantMessage): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function callsOf(message: AssistantMessage): RunToolCall[] {
  return message.parts.flatMap((part): RunToolCall[] => {
    if (part.type !== 'tool-call') return []
    const { toolCallId, toolName } = part
    return part.error
      ? [{ toolCallId, toolName, error: part.error, status: 'proposed' }]
      : [{ toolCallId, toolName, input: part.input, status: 'proposed' }]
  })
}

function applyToCall(calls: Map<string, RunToolCall>, entry: JournalEntry): void {
  if (!('toolCallId' in entry)) return
  const call = calls.get(entry.toolCallId)
  const change = call && changeOf(entry)
  if (change) calls.set(entry.toolCallId, { ...call, ...change })
}

function changeOf(entry: JournalEntry): Partial<RunToolCall> | null {
  switch (entry.type) {
    case 'approval-requested':
      return { status: 'awaiting-approval', input: entry.input }
    case 'approval-answered':
      return {
        status: entry.approved ? 'approved' : 'denied',
        ...(entry.input !== undefined && { input: entry.input }),
      }
    case 'question-asked':
      return { status: 'awaiting-answer' }
    case 'output-requested':
      return { status: 'awaiting-output', input: entry.input }
    case 'call-started':
      return { status: 'executing', ...(entry.input !== undefined && { input: entry.input }) }
    case 'call-withdrawn':
      return { status: 'proposed' }
    case 'call-interrupted':
      return { status: 'awaiting-decision' }
    case 'call-settled':
      return { status: entry.status, output: entry.output }
    default:
      return null
  }
}
