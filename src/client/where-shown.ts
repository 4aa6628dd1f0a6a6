import type { PendingCall } from '../protocol/run.ts'

/** Conversation of each pending call in a view. A server may use the same call id in several conversations. */
const places = new WeakMap<object, string>()

export function noteShown(conversationId: string, pending: readonly PendingCall[]): void {
  for (const call of pending) places.set(call, conversationId)
}

export function whereShown(call: object): string | undefined {
  return places.get(call)
}
