import type { Message } from '../protocol/message.ts'
import type { PendingCall } from '../protocol/run.ts'

/**
 * What imported messages leave open: calls without a result, which wait for their outputs, and the calls
 * that their results settle. A call that could not be read waits for nothing.
 */
export function callsOfImport(messages: readonly Message[]): {
  readonly open: readonly PendingCall[]
  readonly settled: ReadonlySet<string>
} {
  const open = new Map<string, PendingCall>()
  const settled = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant')
      for (const part of message.parts) {
        if (part.type !== 'tool-call' || part.input === undefined) continue
        const { toolCallId, toolName, input } = part
        open.set(toolCallId, { toolCallId, toolName, input, kind: 'output' })
      }
    if (message.role !== 'tool') continue
    for (const { toolCallId } of message.parts) {
      open.delete(toolCallId)
      settled.add(toolCallId)
    }
  }
  return { open: [...open.values()], settled }
}
