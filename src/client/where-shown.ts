import type { PendingCall } from '../protocol/run.ts'

/** The conversations of pending calls that were shown: a server may use one id in several conversations. */
const places = new WeakMap<object, string>()

export function noteShown(conversationId: string, pending: readonly PendingCall[]): void {
  for (const call of pending) places.set(call, conversationId)
}

export function whereShown(call: object): string | undefined {
  return places.get(call)
}
