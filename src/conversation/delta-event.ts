import type { Delta } from '../protocol/delta.ts'
import type { RunEventBody } from '../protocol/event.ts'
import type { CallPath } from '../protocol/fact.ts'

/** The event that a delta is. */
export function deltaEvent(
  delta: Exclude<Delta, { type: 'attempt-started' | 'run-left' | 'ownership-changed' }>,
): RunEventBody {
  switch (delta.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
    case 'tool-input-delta':
    case 'tool-input-end':
    case 'warning':
    case 'raw': {
      const { runId: _run, step: _step, attempt: _attempt, ...event } = delta
      return event
    }
    case 'request': {
      const { type, step, attempt, request } = delta
      return { type, step, attempt, request }
    }
    case 'tool-input-start': {
      const { type, toolCallId, toolName } = delta
      return { type, toolCallId, toolName }
    }
    case 'step-reset':
      return { type: delta.type, step: delta.step, reason: delta.reason }
    case 'retry': {
      const { type, retries: attempt, delayMs, error } = delta
      return { type, attempt, delayMs, error }
    }
    case 'tool-progress':
      return { type: delta.type, ...refOf(delta.path), progress: delta.progress }
    case 'tool-unavailable': {
      const { type, toolName, waitMs } = delta
      return { type, ...refOf(delta.path), toolName, waitMs }
    }
    case 'storage-waits': {
      const message = delta.message && ({ role: 'user', ...delta.message } as const)
      return { type: 'run-parked', reason: delta.reason, ...(message && { message }) }
    }
    case 'storage-takes':
      return { type: 'run-continued' }
    default:
      return delta satisfies never
  }
}

/** Of a call that another call makes, with its path. */
function refOf(path: CallPath): { readonly toolCallId: string; readonly path?: CallPath } {
  return { toolCallId: path.at(-1) ?? '', ...(path.length > 1 && { path }) }
}
