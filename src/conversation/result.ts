import type { AssistantMessage } from '../protocol/message.ts'
import { isLeftOpen, type RunOutcome, type RunResult, type RunToolCall } from '../protocol/run.ts'
import { totalUsage } from './fold-child.ts'
import type { Live } from '../protocol/live.ts'
import { isSettled } from './pending.ts'
import type { CallState, ConversationState, MessageNode } from '../protocol/state.ts'

/**
 * What a run has come to, with the outcome that it ends with. Only the newest run of the conversation is
 * known in full: of the one with whose end it began, the messages, and of any other the result is empty but for its
 * outcome. `live`: for the text of a step that is cut off where it stands.
 */
export function resultOf(
  { conversationId, path, run }: ConversationState,
  runId: string,
  { outcome, live }: { readonly outcome: RunOutcome; readonly live?: Live },
): RunResult {
  const isKnown = run?.runId === runId
  const isFollowed = run?.follows?.runId === runId
  const nodes = isKnown || isFollowed ? path.filter((node) => node.runId === runId) : []
  const answer = nodes.findLast(isAnswer)
  const reflection = answer?.reflection
  const nextRunId = isFollowed ? run.runId : isKnown ? run.next : undefined
  const total = isKnown ? totalUsage(run) : null
  const isOpen = outcome.outcome === 'waiting' || isLeftOpen(outcome)
  return {
    runId,
    conversationId,
    text: liveText(live, runId) ?? answerText(answer),
    ...(reflection?.mode === 'annotate' && { reflection: reflection.text }),
    toolCalls: nodes.flatMap(({ calls }) => calls.map((call) => resultCall(call, isOpen))),
    steps: isKnown ? run.steps : 0,
    usage: isKnown ? run.usage : { modelCalls: 0 },
    ...(total && { totalUsage: total }),
    finishReason: isKnown ? run.finishReason : 'other',
    ...(nextRunId !== undefined && { nextRunId }),
    ...outcome,
  }
}

export function messageText(message: Pick<AssistantMessage, 'parts'>): string {
  return message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** An answer, or what there is of one, unless nothing of it is text. */
function isAnswer({ kind, message }: MessageNode): boolean {
  if (message.role !== 'assistant' || kind === 'imported') return false
  return kind === 'assistant' || messageText(message) !== ''
}

function liveText(live: Live | undefined, runId: string): string | null {
  if (live?.step?.runId !== runId) return null
  return live.step.parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')
}

/** The words of an answer, or what `finish_task` was given. */
export function answerText(node: MessageNode | undefined): string {
  if (node?.message.role !== 'assistant') return ''
  const output = finishingCall(node)?.output
  return output?.type === 'text' ? output.value : messageText(node.message)
}

/** The call with which the message ended its run. */
export function finishingCall({ calls }: MessageNode): CallState | undefined {
  return calls.findLast(({ finishes, output }) => finishes && output?.type === 'text')
}

/** Of a run that is over, what is open has come to nothing, or isn't known. */
function resultCall(call: CallState, isOpen: boolean): RunToolCall {
  const { toolCallId, toolName, input, error, output, status, path } = call
  const isKnown = isOpen || isSettled(call) || status.startsWith('awaiting')
  const unsettled = error ? 'invalid' : status === 'executing' ? 'interrupted' : 'aborted'
  return {
    toolCallId,
    toolName,
    ...(error ? { error } : { input }),
    ...(output && { output }),
    status: isKnown ? status : unsettled,
    ...(path.length > 1 && { path }),
  }
}
