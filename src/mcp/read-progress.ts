import { shortWords } from './failures.ts'
import type { ProgressNote } from './line.ts'
import type { Incoming } from './wire.ts'

/** Reads a call's progress from a notification. Null: the message is about something else. */
export function readProgress(message: Incoming, token: string | number): ProgressNote | null {
  if (message.type !== 'notification' || message.method !== 'notifications/progress') return null
  const { progressToken, progress, total, message: words } = message.params
  if (progressToken !== token || !isNumber(progress)) return null
  return {
    progress,
    ...(isNumber(total) && { total }),
    ...(typeof words === 'string' && { message: shortWords(words, 300) }),
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
