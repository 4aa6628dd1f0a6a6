import type { RunEventBody } from '../protocol/event.ts'
import type { RowOf } from '../protocol/fact.ts'
import type { CallState, ConversationState } from '../protocol/state.ts'
import { askedQuestion } from './asked-question.ts'
import { callParts } from './propose-call.ts'

/** The calls of a model's output. */
export function proposalEvents({ message }: RowOf<'model-output'>): RunEventBody[] {
  return callParts(message).map((part) => {
    const { type, toolCallId, toolName, rescued } = part
    const ref = { type, toolCallId, toolName, ...(rescued && { rescued }) } as const
    return part.error ? { ...ref, error: part.error } : { ...ref, input: part.input }
  })
}

type CallRow = RowOf<
  | 'approval-requested'
  | 'approval-answered'
  | 'question-asked'
  | 'call-started'
  | 'call-suspended'
  | 'call-interrupted'
  | 'call-settled'
>

/** What happened to a call. `state`: after it. */
export function callEvents(row: CallRow, { run, path }: ConversationState): RunEventBody[] {
  const toolCallId = row.path.at(-1) ?? ''
  const isThis = (call: CallState): boolean => call.toolCallId === toolCallId
  const call = run?.calls.find(isThis) ?? path.flatMap(({ calls }) => calls).find(isThis)
  if (!call) return []
  const { toolName, input } = call
  const ref = { toolCallId, toolName }
  switch (row.type) {
    case 'approval-requested':
      return [{ type: 'tool-approval-request', ...ref, input }]
    case 'approval-answered': {
      const { approved, reason, input: edited } = row
      return [
        {
          type: 'tool-approval-response',
          toolCallId,
          approved,
          ...(reason !== undefined && { reason }),
          ...(edited !== undefined && { input: edited }),
        },
      ]
    }
    case 'question-asked':
      return [{ type: 'question', toolCallId, ...askedQuestion(row) }]
    case 'call-started':
      return [{ type: 'tool-execution-start', ...ref, input }]
    case 'call-suspended':
      return [{ type: 'tool-suspended', ...ref, resumeToken: row.token }]
    case 'call-interrupted':
      return [{ type: 'tool-interrupted', ...ref, input }]
    case 'call-settled':
      return [{ type: 'tool-result', ...ref, status: row.status, output: row.output }]
    default:
      return row satisfies never
  }
}
