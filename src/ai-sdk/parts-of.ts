import type {
  ConversationSnapshot,
  FilePart,
  ShownCall,
  ShownMessage,
  ToolOutput,
} from '../index.ts'
import type {
  UIApproval,
  UIDataPart,
  UIFilePart,
  UIOrderedPart,
  UISteeringPart,
  UIToolPart,
} from './ui-message.ts'

/** Parts of an answer as one message, with a step for each model output. `writing`: id of the message being written. */
export function partsOf(
  messages: readonly ShownMessage[],
  writing: string | undefined,
): UIOrderedPart[] {
  return messages.flatMap((message) => {
    if (message.role === 'user') return [steeringPart(message)]
    // Answers that `verify` rejected are left out: another answer follows.
    if (message.role !== 'assistant' || message.rejected) return []
    return [{ type: 'step-start' }, ...answerParts(message, message.id === writing)]
  })
}

type Answer = Extract<ShownMessage, { role: 'assistant' }>

function answerParts({ parts, calls = [] }: Answer, isWriting: boolean): UIOrderedPart[] {
  const state = isWriting ? 'streaming' : 'done'
  const said = parts.flatMap((part): UIOrderedPart[] => {
    if (part.type === 'tool-call') return []
    if (part.type === 'file') return [filePart(part)]
    return part.text === '' ? [] : [{ type: part.type, text: part.text, state }]
  })
  return [...said, ...calls.map(toolPart)]
}

function steeringPart({ id, parts }: Extract<ShownMessage, { role: 'user' }>): UISteeringPart {
  return { type: 'steering-message', id, parts: userParts(parts) }
}

export function userParts(
  parts: Extract<ShownMessage, { role: 'user' }>['parts'],
): UISteeringPart['parts'] {
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : filePart(part),
  )
}

function filePart({ mediaType, data, filename }: FilePart): UIFilePart {
  const url = `data:${mediaType};base64,${data}`
  return { type: 'file', mediaType, url, ...(filename !== undefined && { filename }) }
}

function toolPart(call: ShownCall): UIToolPart {
  const { toolName, toolCallId, title, status, output, error, progress } = call
  const base = {
    type: `tool-${toolName}` as const,
    toolCallId,
    ...(title !== undefined && { title }),
  }
  const { inputText } = call
  if (inputText !== undefined)
    return { ...base, state: 'input-streaming', input: undefined, rawInput: inputText }
  if (error) return { ...base, state: 'output-error', input: undefined, errorText: error.message }
  const input = call.input ?? null
  switch (status) {
    case 'awaiting-approval':
      return { ...base, state: 'approval-requested', input, approval: approvalOf(call) }
    case 'denied': {
      const reason = output && errorText(output)
      const said = { approved: false as const, ...(reason !== undefined && { reason }) }
      return { ...base, state: 'output-denied', input, approval: { ...approvalOf(call), ...said } }
    }
    case 'succeeded':
      return { ...base, state: 'output-available', input, output: output && outputOf(output) }
    case 'failed':
    case 'aborted':
    case 'interrupted':
    case 'invalid':
      return { ...base, state: 'output-error', input, errorText: errorText(output) ?? status }
    default:
      // A running call shows its progress as preliminary output.
      return status === 'executing' && progress !== undefined
        ? { ...base, state: 'output-available', input, output: progress, preliminary: true }
        : { ...base, state: 'input-available', input }
  }
}

function approvalOf({ toolCallId, about, because }: ShownCall): UIApproval {
  const descriptor = { ...(about && { about }), ...(because && { because }) }
  return {
    id: toolCallId,
    ...(about && { requestReason: about.text }),
    ...((about || because) && { descriptor }),
  }
}

function outputOf(output: ToolOutput): unknown {
  return 'value' in output ? output.value : errorText(output)
}

function errorText(output: ToolOutput | undefined): string | undefined {
  if (output?.type === 'error') return output.message
  if (output?.type === 'denied') return output.reason
  return output && String(output.value)
}

/** Data parts of the last answer: the plan and the pending calls. */
export function dataParts({ plan, pending }: ConversationSnapshot): UIDataPart[] {
  return [
    ...(plan ? [{ type: 'data-plan' as const, id: 'plan' as const, data: plan }] : []),
    ...(pending.length > 0
      ? [{ type: 'data-waiting' as const, id: 'waiting' as const, data: pending }]
      : []),
  ]
}
