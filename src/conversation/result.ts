import type { AssistantMessage } from '../protocol/message.ts'
import { isUnfinished, type RunOutcome, type RunResult, type RunToolCall } from '../protocol/run.ts'
import { totalUsage } from './fold-call.ts'
import type { Live } from '../protocol/delta.ts'
import { isSettled } from './pending.ts'
import type { CallState, ConversationState, MessageNode } from '../protocol/state.ts'

/**
 * Result of a run with the given outcome. Complete only for the newest run. For the run that the newest run follows, it
 * has the messages but no usage; for earlier runs, only the outcome. `live`: holds the text of an unfinished step.
 */
export function resultOf(
  { conversationId, path, run }: ConversationState,
  runId: string,
  { outcome, live }: { readonly outcome: RunOutcome; readonly live?: Live },
): RunResult {
  const isNewest = run?.runId === runId
  const isPrevious = run?.follows?.runId === runId
  const nodes = isNewest || isPrevious ? path.filter((node) => node.runId === runId) : []
  const answer = nodes.findLast(isAnswer)
  const reflection = answer?.reflection
  const nextRunId = isPrevious ? run.runId : isNewest ? run.next : undefined
  const total = isNewest ? totalUsage(run) : null
  const isOpen = outcome.outcome === 'waiting' || isUnfinished(outcome)
  return {
    runId,
    conversationId,
    text: liveText(live, runId) ?? answerText(answer),
    ...(reflection?.mode === 'annotate' && { reflection: reflection.text }),
    toolCalls: nodes.flatMap(({ calls }) => calls.map((call) => resultCall(call, isOpen))),
    steps: isNewest ? run.steps : 0,
    usage: isNewest ? run.usage : { modelCalls: 0 },
    ...(total && { totalUsage: total }),
    finishReason: isNewest ? run.finishReason : 'other',
    ...(nextRunId !== undefined && { nextRunId }),
    ...outcome,
  }
}

export function messageText(message: Pick<AssistantMessage, 'parts'>): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Whether the message is an answer. A partial message is an answer only if it has text. */
function isAnswer({ kind, message }: MessageNode): boolean {
  if (message.role !== 'assistant' || kind === 'imported') return false
  return kind === 'assistant' || messageText(message) !== ''
}

function liveText(live: Live | undefined, runId: string): string | null {
  if (live?.step?.runId !== runId) return null
  return live.step.parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')
}

/** Text of an answer, or the result passed to `finish_task`. */
export function answerText(node: MessageNode | undefined): string {
  if (node?.message.role !== 'assistant') return ''
  const output = finishingCall(node)?.output
  return output?.type === 'text' ? output.value : messageText(node.message)
}

/** The call with which the message ended its run. */
export function finishingCall({ calls }: MessageNode): CallState | undefined {
  return calls.findLast(({ finishes, output }) => finishes && output?.type === 'text')
}

/**
 * A call in the result. Once the run is over, unsettled calls count as `aborted`, or as `interrupted` if they were
 * executing.
 */
function resultCall(call: CallState, isOpen: boolean): RunToolCall {
  const { toolCallId, toolName, input, error, output, status, path } = call
  const keepsStatus = isOpen || isSettled(call) || status.startsWith('awaiting')
  const unsettled = error ? 'invalid' : status === 'executing' ? 'interrupted' : 'aborted'
  return {
    toolCallId,
    toolName,
    ...(error ? { error } : { input }),
    ...(output && { output }),
    status: keepsStatus ? status : unsettled,
    ...(path.length > 1 && { path }),
  }
}
