/** A call that has no result yet. */
export interface PendingToolCall {
  readonly toolCallId: string
  readonly toolName: string
}

/**
 * The tool calls of a history without a result, in order. If two calls share an id, a single result
 * belongs to the first. Ignores messages in unknown shapes. Reads three shapes, also mixed:
 * - Offstage's: `parts` with `tool-call` and `tool-result`
 * - OpenAI's Chat Completions: `tool_calls`, role `tool` with `tool_call_id`
 * - Anthropic's Messages: `content` blocks `tool_use` and `tool_result`
 *
 * Formats: https://platform.openai.com/docs/api-reference/chat/create,
 * https://docs.anthropic.com/en/api/messages
 */
export function pendingToolCalls(messages: readonly unknown[]): PendingToolCall[] {
  const pending: PendingToolCall[] = []
  for (const message of messages) {
    for (const entry of entriesOf(message)) {
      if (entry.type === 'call') {
        pending.push({ toolCallId: entry.toolCallId, toolName: entry.toolName })
        continue
      }
      const settled = pending.findIndex((call) => call.toolCallId === entry.toolCallId)
      if (settled !== -1) pending.splice(settled, 1)
    }
  }
  return pending
}

type CallEntry =
  | { readonly type: 'call'; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: 'result'; readonly toolCallId: string }

function entriesOf(message: unknown): CallEntry[] {
  const fields = record(message)
  return [
    ...list(fields['parts']).flatMap(offstagePart),
    ...list(fields['tool_calls']).flatMap(openAiCall),
    ...(fields['role'] === 'tool' ? result(fields['tool_call_id']) : []),
    ...list(fields['content']).flatMap(anthropicBlock),
  ]
}

function offstagePart(part: unknown): CallEntry[] {
  const fields = record(part)
  if (fields['type'] === 'tool-call') return call(fields['toolCallId'], fields['toolName'])
  return fields['type'] === 'tool-result' ? result(fields['toolCallId']) : []
}

function openAiCall(toolCall: unknown): CallEntry[] {
  const fields = record(toolCall)
  // Custom tools have their name in `custom` instead of `function`.
  return call(fields['id'], record(fields['function'] ?? fields['custom'])['name'])
}

function anthropicBlock(block: unknown): CallEntry[] {
  const fields = record(block)
  if (fields['type'] === 'tool_use') return call(fields['id'], fields['name'])
  return fields['type'] === 'tool_result' ? result(fields['tool_use_id']) : []
}

function call(id: unknown, name: unknown): CallEntry[] {
  if (typeof id !== 'string') return []
  return [{ type: 'call', toolCallId: id, toolName: typeof name === 'string' ? name : '' }]
}

function result(id: unknown): CallEntry[] {
  return typeof id === 'string' ? [{ type: 'result', toolCallId: id }] : []
}

function record(value: unknown): { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
