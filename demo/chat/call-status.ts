import { showInput } from 'offstage/conversation'
import type { PendingCall, ToolCallPart, ToolOutput, ToolResultPart } from 'offstage'

/** A call as its card shows it. */
export interface CallItem {
  readonly call: ToolCallPart
  readonly result: ToolResultPart | undefined
  readonly pending: PendingCall | undefined
  readonly progress: string | undefined
  /** Its run is open. */
  readonly isLive: boolean
}

export interface CallStatus {
  readonly kind: 'working' | 'waiting' | 'done' | 'problem'
  readonly label: string
}

export function statusOf({ pending, result, isLive, progress }: CallItem): CallStatus {
  if (pending?.kind === 'approval') return { kind: 'waiting', label: 'Needs your approval' }
  if (pending?.kind === 'answer') return { kind: 'waiting', label: 'Waits for your answer' }
  if (pending) return { kind: 'waiting', label: 'Did it happen?' }
  if (result) return statusOfOutput(result.output)
  return isLive
    ? { kind: 'working', label: progress ?? 'Running…' }
    : // Every run settles its calls; this one ended where this page couldn't see it.
      { kind: 'problem', label: 'Went on elsewhere' }
}

function statusOfOutput(output: ToolOutput): CallStatus {
  if (output.type === 'denied') return { kind: 'problem', label: 'Denied' }
  if (output.type !== 'error') return { kind: 'done', label: 'Done' }
  switch (output.code) {
    case 'interrupted':
      return { kind: 'problem', label: 'Outcome unknown' }
    case 'aborted':
      return { kind: 'problem', label: 'Stopped' }
    case 'timeout':
      return { kind: 'problem', label: 'Timed out' }
    case 'failed':
      return { kind: 'problem', label: 'Failed' }
    // The others are found before a tool runs.
    default:
      return { kind: 'problem', label: 'Refused, not run' }
  }
}

/** What the tool gave back, as text. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value, null, 2)
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`))
        .join('\n')
    case 'error':
      return output.message
    case 'denied':
      return output.reason ?? 'A person denied this call.'
  }
}

export function inputText({ input, error }: ToolCallPart): string {
  return error ? error.message : showInput(input)
}
