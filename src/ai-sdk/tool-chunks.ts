import type { UIChunk, UIToolPart } from './ui-message.ts'

interface Told {
  /** The part as the chat shows it after these chunks. */
  readonly next: UIToolPart
  readonly chunks: readonly UIChunk[]
}

type Approval = Extract<UIToolPart, { state: 'approval-responded' }>['approval']

/** Chunks that bring a call from the state that the chat shows, if any, to its current state. */
export function toolChunks(before: UIToolPart | undefined, part: UIToolPart): Told {
  if (part.state === 'input-streaming') return { next: part, chunks: inputChunks(before, part) }
  const answered = answerOf(before, part)
  const chunks = [...openingChunks(before, part), ...approvalChunks(before, part, answered)]
  // The chat shows the call as answered until its output exists.
  if (answered && (part.state === 'input-available' || part.state === 'approval-responded'))
    return { next: { ...part, state: 'approval-responded', approval: answered }, chunks }
  return { next: part, chunks: [...chunks, ...outputChunks(before, part)] }
}

function outputChunks(before: UIToolPart | undefined, part: UIToolPart): UIChunk[] {
  const { toolCallId, state } = part
  if (state === 'output-available') {
    const { output, preliminary } = part
    const isTold =
      before?.state === state && before.output === output && before.preliminary === preliminary
    const type = 'tool-output-available'
    return isTold ? [] : [{ type, toolCallId, output, ...(preliminary && { preliminary }) }]
  }
  if (before?.state === state) return []
  if (state === 'output-denied') return [{ type: 'tool-output-denied', toolCallId }]
  return state === 'output-error' && part.input !== undefined
    ? [{ type: 'tool-output-error', toolCallId, errorText: part.errorText }]
    : []
}

function inputChunks(
  before: UIToolPart | undefined,
  part: Extract<UIToolPart, { state: 'input-streaming' }>,
): UIChunk[] {
  const { toolCallId, rawInput } = part
  const known = before && 'rawInput' in before ? before.rawInput.length : 0
  const inputTextDelta = rawInput.slice(known)
  return [
    ...(before ? [] : [{ type: 'tool-input-start' as const, ...namesOf(part) }]),
    ...(inputTextDelta === ''
      ? []
      : [{ type: 'tool-input-delta' as const, toolCallId, inputTextDelta }]),
  ]
}

/** Chunks for the complete input, or for the reason why there is none. */
function openingChunks(
  before: UIToolPart | undefined,
  part: Exclude<UIToolPart, { state: 'input-streaming' }>,
): UIChunk[] {
  const { input } = part
  if (before && before.state !== 'input-streaming') return []
  if (input !== undefined) return [{ type: 'tool-input-available', ...namesOf(part), input }]
  const errorText = part.state === 'output-error' ? part.errorText : ''
  return [{ type: 'tool-input-error', ...namesOf(part), input, errorText }]
}

function namesOf({ type, toolCallId, title }: UIToolPart): {
  toolCallId: string
  toolName: string
  title?: string
} {
  return {
    toolCallId,
    toolName: type.slice('tool-'.length),
    ...(title !== undefined && { title }),
  }
}

/** The person's answer to the approval request, if known. A call that resumes after a request was approved. */
function answerOf(before: UIToolPart | undefined, part: UIToolPart): Approval | undefined {
  if (part.state === 'output-denied' || part.state === 'approval-responded') return part.approval
  if (part.state === 'approval-requested') return undefined
  if (before?.state === 'approval-responded') return before.approval
  return before?.state === 'approval-requested' ? { ...before.approval, approved: true } : undefined
}

function approvalChunks(
  before: UIToolPart | undefined,
  part: UIToolPart,
  answer: Approval | undefined,
): UIChunk[] {
  const question = answer ?? (part.state === 'approval-requested' ? part.approval : undefined)
  if (!question || before?.state === 'output-denied') return []
  const { id: approvalId, requestReason, descriptor } = question
  const isAsked = before?.state === 'approval-requested'
  const isAnswered = answer !== undefined && before?.state === 'approval-responded'
  const request: UIChunk = {
    type: 'tool-approval-request',
    approvalId,
    toolCallId: part.toolCallId,
    ...(requestReason !== undefined && { reason: requestReason }),
    ...(descriptor !== undefined && { approvalDescriptor: descriptor }),
  }
  return [
    ...(isAsked || isAnswered ? [] : [request]),
    ...(answer && !isAnswered
      ? [
          {
            type: 'tool-approval-response' as const,
            approvalId,
            approved: answer.approved,
            ...(answer.reason !== undefined && { reason: answer.reason }),
          },
        ]
      : []),
  ]
}
