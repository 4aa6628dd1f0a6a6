import { shortWords } from './failures.ts'
import type { ProgressNote } from './line.ts'
import type { Incoming } from './wire.ts'

/** What a notification says of how far a call is; null: it is of something else. */
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
