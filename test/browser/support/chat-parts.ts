import type { ChatRequest } from './mock-openai.ts'

export type ChatMessage = NonNullable<ChatRequest['messages']>[number] & {
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

export const messagesOf = ({ messages = [] }: ChatRequest): readonly ChatMessage[] => messages

/** Whether the model is asked to sum up what it will no longer be sent. */
export function asksForSummary(request: ChatRequest): boolean {
  const last = messagesOf(request).at(-1)
  return last?.role === 'user' && String(last.content).startsWith('Room has to be made')
}

/** Ids of calls without a result behind them, and of results without their call. */
export function orphans(request: ChatRequest): string[] {
  const open = new Set<string>()
  const found: string[] = []
  for (const { role, tool_calls: calls = [], tool_call_id: of = '' } of messagesOf(request)) {
    if (role === 'tool') {
      if (!open.delete(of)) found.push(of)
      continue
    }
    found.push(...open)
    open.clear()
    for (const { id } of calls) open.add(id)
  }
  return [...found, ...open]
}

/** Whether what a server has cached of the one request is the beginning of the other, byte by byte. */
export function goesOnFrom(before: ChatRequest, request: ChatRequest): boolean {
  const cached = JSON.stringify(messagesOf(before)).slice(0, -1)
  return (
    JSON.stringify(messagesOf(request)).startsWith(cached) &&
    JSON.stringify(request.tools) === JSON.stringify(before.tools)
  )
}
