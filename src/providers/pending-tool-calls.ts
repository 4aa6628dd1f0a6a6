import { asList, asRecord, asText } from './core/read-json.ts'

/** A call that has no result yet. */
export interface PendingToolCall {
  readonly toolCallId: string
  readonly toolName: string
}

/**
 * Returns a history's tool calls without a result, in order. If two calls share an id, a single result belongs to the
 * first. Ignores messages in unknown shapes. Reads three shapes, which may be mixed:
 * - Offstage's: `parts` with `tool-call` and `tool-result`
 * - OpenAI's Chat Completions: `tool_calls`, role `tool` with `tool_call_id`
 * - Anthropic's Messages: `content` blocks `tool_use` and `tool_result`
 *
 * Formats: https://platform.openai.com/docs/api-reference/chat/create,
 * https://docs.anthropic.com/en/api/messages
 */
export function pendingToolCalls(messages: readonly unknown[]): PendingToolCall[] {
  const pending: PendingToolCall[] = []
  for (const entry of messages.flatMap(entriesOf)) {
    if ('toolName' in entry) {
      pending.push(entry)
      continue
    }
    const settled = pending.findIndex((call) => call.toolCallId === entry.toolCallId)
    if (settled !== -1) pending.splice(settled, 1)
  }
  return pending
}

/** A call, or only the id of a call that has a result. */
type Entry = PendingToolCall | Pick<PendingToolCall, 'toolCallId'>

function entriesOf(message: unknown): Entry[] {
  const fields = asRecord(message) ?? {}
  return [
    ...asList(fields['parts']).flatMap(offstagePart),
    ...asList(fields['tool_calls']).flatMap(openAiCall),
    ...(fields['role'] === 'tool' ? result(fields['tool_call_id']) : []),
    ...asList(fields['content']).flatMap(anthropicBlock),
  ]
}

function offstagePart(part: unknown): Entry[] {
  const fields = asRecord(part) ?? {}
  if (fields['type'] === 'tool-call') return call(fields['toolCallId'], fields['toolName'])
  return fields['type'] === 'tool-result' ? result(fields['toolCallId']) : []
}

function openAiCall(toolCall: unknown): Entry[] {
  const fields = asRecord(toolCall) ?? {}
  // Custom tools have their name in `custom` instead of `function`.
  return call(fields['id'], asRecord(fields['function'] ?? fields['custom'])?.['name'])
}

function anthropicBlock(block: unknown): Entry[] {
  const fields = asRecord(block) ?? {}
  if (fields['type'] === 'tool_use') return call(fields['id'], fields['name'])
  return fields['type'] === 'tool_result' ? result(fields['tool_use_id']) : []
}

function call(id: unknown, name: unknown): Entry[] {
  return typeof id === 'string' ? [{ toolCallId: id, toolName: asText(name) ?? '' }] : []
}

function result(id: unknown): Entry[] {
  return typeof id === 'string' ? [{ toolCallId: id }] : []
}
