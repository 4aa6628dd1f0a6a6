import type { ConversationSnapshot } from '../../index.ts'
import { stateOf } from './call-state.ts'

/** Whether the run waits for the model: its next text hasn't arrived, and no call is running. */
export function awaitsModel({ messages, run, status }: ConversationSnapshot): boolean {
  if (status !== 'running' || run?.retry) return false
  const last = messages.findLast(({ role }) => role === 'user' || role === 'assistant')
  if (last?.role !== 'assistant') return true
  if (last.calls?.some((call) => stateOf(call).kind === 'working')) return false
  if (last.at !== undefined) return last.calls !== undefined || last.partial === true
  return last.parts.every((part) => part.type === 'text' && part.text === '')
}
