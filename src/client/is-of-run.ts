import type { Message } from '../protocol/message.ts'

/** True for messages of the run. */
export function isOfRun(message: Message, runId: string): boolean {
  return message.id?.startsWith(`${runId}:`) ?? false
}
