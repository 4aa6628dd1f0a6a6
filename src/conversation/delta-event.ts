import type { Delta } from '../protocol/delta.ts'
import type { RunEventBody } from '../protocol/event.ts'

/** The event that a delta is. */
export function deltaEvent(
  delta: Exclude<Delta, { type: 'attempt-started' | 'run-left' | 'ownership-changed' }>,
): RunEventBody {
  switch (delta.type) {
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return { type: delta.type, partId: delta.partId }
    case 'text-delta':
    case 'reasoning-delta':
      return { type: delta.type, partId: delta.partId, delta: delta.delta }
    case 'tool-input-start': {
      const { type, toolCallId, toolName } = delta
      return { type, toolCallId, toolName }
    }
    case 'tool-input-delta':
      return { type: delta.type, toolCallId: delta.toolCallId, delta: delta.delta }
    case 'tool-input-end':
      return { type: delta.type, toolCallId: delta.toolCallId }
    case 'step-reset':
      return { type: delta.type, step: delta.step, reason: delta.reason }
    case 'retry': {
      const { type, retries: attempt, delayMs, error } = delta
      return { type, attempt, delayMs, error }
    }
    case 'warning':
      return { type: delta.type, code: delta.code, message: delta.message }
    case 'raw':
      return { type: delta.type, data: delta.data }
    case 'tool-progress':
      return { type: delta.type, toolCallId: delta.path.at(-1) ?? '', progress: delta.progress }
    case 'tool-unavailable': {
      const { type, toolName, waitMs } = delta
      return { type, toolCallId: delta.path.at(-1) ?? '', toolName, waitMs }
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
