import type { RunEventBody } from '../protocol/event.ts'
import type { RowOf } from '../protocol/fact.ts'
import type { CallState, ConversationState } from '../protocol/state.ts'
import { askedQuestion } from './asked-question.ts'
import { callParts } from './propose-call.ts'
import { shownAsked, shownRememberable } from './shown-asked.ts'

/** The files of a model's output. */
export function fileEvents({ message }: RowOf<'model-output'>): RunEventBody[] {
  const { id: messageId, parts } = message
  return parts.flatMap((file) => (file.type === 'file' ? { type: 'file', messageId, file } : []))
}

/** The calls of a model's output. */
export function proposalEvents({ message }: RowOf<'model-output'>): RunEventBody[] {
  return callParts(message).map((part) => {
    const { type, toolCallId, toolName, rescued } = part
    const ref = { type, toolCallId, toolName, ...(rescued && { rescued }) } as const
    return part.error ? { ...ref, error: part.error } : { ...ref, input: part.input }
  })
}

type CallRow = RowOf<
  | 'call-proposed'
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
  const within = row.path.length > 1 && { path: row.path }
  const ref = { toolCallId, toolName, ...within }
  switch (row.type) {
    case 'call-proposed':
      return [{ type: 'tool-call', ...ref, input }]
    case 'approval-requested':
      return [
        {
          type: 'tool-approval-request',
          ...ref,
          input,
          ...shownAsked(call),
          ...shownRememberable(call),
        },
      ]
    case 'approval-answered': {
      const { approved, reason, input: edited } = row
      return [
        {
          type: 'tool-approval-response',
          toolCallId,
          ...within,
          approved,
          ...(reason !== undefined && { reason }),
          ...(edited !== undefined && { input: edited }),
        },
      ]
    }
    case 'question-asked':
      return [{ type: 'question', toolCallId, ...within, ...askedQuestion(row) }]
    case 'call-started':
      return [{ type: 'tool-execution-start', ...ref, input }]
    case 'call-suspended':
      // A function that is run again is no news.
      if (row.seen !== undefined) return []
      return [
        {
          type: 'tool-suspended',
          ...ref,
          resumeToken: row.token,
          ...(row.until !== undefined && { until: row.until }),
        },
      ]
    case 'call-interrupted':
      return [{ type: 'tool-interrupted', ...ref, input }]
    case 'call-settled':
      return [{ type: 'tool-result', ...ref, status: row.status, output: row.output }]
    default:
      return row satisfies never
  }
}
