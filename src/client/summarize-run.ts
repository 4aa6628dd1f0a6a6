import type { RunRef } from '../protocol/api.ts'
import type { RunEvent } from '../protocol/event.ts'
import type { FinishReason, RunUsage } from '../protocol/message.ts'
import type { RunOutcome, RunResult, RunToolCall } from '../protocol/run.ts'

export type RunSummary = Omit<RunResult, keyof RunRef | keyof RunOutcome>

/** What a handle has seen amounts to, for a run whose worker can't say how it ended. */
export function summarizeRun(events: readonly RunEvent[]): RunSummary {
  const calls = new Map<string, RunToolCall>()
  let text = ''
  let steps = 0
  let finishReason: FinishReason = 'other'
  let usage: RunUsage = { modelCalls: 0 }
  for (const event of events) {
    if (event.type === 'run-snapshot') text = event.text
    else if (event.type === 'step-start' || event.type === 'step-reset') text = ''
    else if (event.type === 'text-delta') text += event.delta
    else if (event.type === 'step-end') {
      steps++
      finishReason = event.finishReason
      usage = addUsage(usage, { ...event.usage, modelCalls: 1 })
    } else noteCall(calls, event)
  }
  return { text, toolCalls: [...calls.values()], steps, usage, finishReason }
}

function noteCall(calls: Map<string, RunToolCall>, event: RunEvent): void {
  if (
    event.type !== 'tool-call' &&
    event.type !== 'tool-execution-start' &&
    event.type !== 'tool-result'
  )
    return
  const { type: _type, runId: _run, conversationId: _conversation, seq: _seq, ...facts } = event
  const unsettled = event.type === 'tool-call' ? 'aborted' : 'interrupted'
  const status = 'status' in facts ? facts.status : 'error' in facts ? 'invalid' : unsettled
  calls.set(facts.toolCallId, { ...calls.get(facts.toolCallId), ...facts, status })
}

export function addUsage(sum: RunUsage, more: RunUsage): RunUsage {
  const total = { ...sum }
  for (const [key, count] of Object.entries(more) as [keyof RunUsage, number?][])
    if (count !== undefined) total[key] = (total[key] ?? 0) + count
  return total
}
