import { isUnfinished, showInput, visibleText } from '../../../conversation/index.ts'
import type { ConversationSnapshot, ShownCall, ToolOutput } from '../../../index.ts'
import type { Words } from '../words/words.ts'

export interface CallState {
  /** Decides the icon and style. */
  readonly kind: 'working' | 'waiting' | 'done' | 'problem'
  readonly word: keyof Words['states']
}

export interface CallStateEntry extends CallState {
  /** When to announce it. Absent if never: the model's answer mentions most results. `later`: after `LONG_MS`. */
  readonly announced?: 'at-once' | 'later'
}

/** Milliseconds after which a running call is announced. */
export const LONG_MS = 3000

const RUNNING: CallStateEntry = { kind: 'working', word: 'running' }
const WAITING: CallStateEntry = { kind: 'waiting', word: 'waiting' }

/** The words for a call in each status. A waiting call has its buttons on its card. */
export const CALL_STATES: Readonly<Record<ShownCall['status'], CallStateEntry>> = {
  proposed: RUNNING,
  approved: RUNNING,
  executing: { ...RUNNING, announced: 'later' },
  suspended: RUNNING,
  'awaiting-approval': WAITING,
  'awaiting-answer': WAITING,
  'awaiting-output': WAITING,
  'awaiting-decision': WAITING,
  succeeded: { kind: 'done', word: 'done' },
  denied: { kind: 'problem', word: 'denied', announced: 'at-once' },
  failed: { kind: 'problem', word: 'failed', announced: 'at-once' },
  aborted: { kind: 'problem', word: 'stopped' },
  interrupted: { kind: 'problem', word: 'interrupted', announced: 'at-once' },
  invalid: { kind: 'problem', word: 'refused', announced: 'at-once' },
}

/** Returns a call's state as people see it. */
export function stateOf({ status, input, error }: ShownCall): CallState {
  return status === 'proposed' && input === undefined && !error
    ? { kind: 'working', word: 'writing' }
    : CALL_STATES[status]
}

/** Whether this page stopped following an unfinished run, as when its agent is disposed. Nothing can be answered then. */
export function isRunDetached({ ended }: Pick<ConversationSnapshot, 'ended'>): boolean {
  return ended !== undefined && isUnfinished(ended)
}

/** Like `stateOf`, but `leftOpen` for an unfinished call that this page no longer follows. */
export function stateIn(snapshot: Pick<ConversationSnapshot, 'ended'>, call: ShownCall): CallState {
  const state = stateOf(call)
  const isOpen = state.kind === 'waiting' || state.kind === 'working'
  return isOpen && isRunDetached(snapshot) ? { kind: 'problem', word: 'leftOpen' } : state
}

/** Progress that a tool reported, as far as it can be shown. */
export interface Progress {
  /** Between 0 and 1. */
  readonly ratio?: number
  readonly text?: string
}

/**
 * Reads what a tool passed to `progress`: a text, a number between 0 and 1, or an object with `progress`, `total` and
 * `message` as MCP has them.
 */
export function progressOf(progress: unknown): Progress {
  if (typeof progress === 'string') return { text: progress }
  if (typeof progress === 'number') return ratioOf(progress, 1)
  if (typeof progress !== 'object' || progress === null) return {}
  const { progress: done, total, message } = progress as Record<string, unknown>
  return {
    ...(typeof done === 'number' && ratioOf(done, typeof total === 'number' ? total : 1)),
    ...(typeof message === 'string' && { text: message }),
  }
}

function ratioOf(done: number, total: number): Progress {
  const ratio = done / total
  return ratio >= 0 && ratio <= 1 ? { ratio } : {}
}

/** Returns a call's output as text for people, with invisible characters made visible. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case 'text':
      return visibleText(output.value)
    case 'json':
      return showInput(output.value)
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? visibleText(part.text) : `[${part.mediaType}]`))
        .join('\n')
    case 'error':
      return visibleText(output.message)
    case 'denied':
      return visibleText(output.reason ?? '')
  }
}
