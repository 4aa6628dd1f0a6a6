import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
  ToolResultPart,
} from '../protocol/message.ts'

/**
 * A copy of the history that every vendor accepts. Each call gets exactly one result, in one tool message right after
 * the calls and in their order. Results are searched up to the next assistant message. A call without a result gets its
 * own error, else `interrupted`. Results without a call are left out. A duplicate call id gets a suffix, in both call
 * and result. Messages that need no change stay the same objects.
 */
export function healHistory(messages: readonly Message[]): Message[] {
  const healed: Message[] = []
  const usedIds = new Set<string>()
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Message
    if (message.role === 'tool') continue
    const calls = message.role === 'assistant' ? callsOf(message) : []
    if (message.role !== 'assistant' || calls.length === 0) {
      healed.push(message)
      continue
    }
    const results = resultsAfter(messages, at)
    const ids = calls.map((call) => unusedId(call.toolCallId, usedIds))
    healed.push(withIds(message, ids), matchResults(calls, ids, results))
  }
  return healed
}

export function callsOf({ parts }: AssistantMessage): ToolCallPart[] {
  return parts.filter((part) => part.type === 'tool-call')
}

/** The text of an answer, without its reasoning. */
export function answerText({ parts }: AssistantMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function resultsAfter(messages: readonly Message[], at: number): ToolMessage[] {
  const results: ToolMessage[] = []
  for (const message of messages.slice(at + 1)) {
    if (message.role === 'assistant') break
    if (message.role === 'tool') results.push(message)
  }
  return results
}

function unusedId(id: string, used: Set<string>): string {
  let unused = id
  for (let count = 2; used.has(unused); count++) unused = `${id}_${count}`
  used.add(unused)
  return unused
}

function withIds(message: AssistantMessage, ids: readonly string[]): AssistantMessage {
  const calls = callsOf(message)
  if (calls.every((call, index) => call.toolCallId === ids[index])) return message
  const renamed = new Map(calls.map((call, index) => [call, ids[index] ?? call.toolCallId]))
  return {
    ...message,
    parts: message.parts.map((part) =>
      part.type === 'tool-call'
        ? { ...part, toolCallId: renamed.get(part) ?? part.toolCallId }
        : part,
    ),
  }
}

function matchResults(
  calls: readonly ToolCallPart[],
  ids: readonly string[],
  messages: readonly ToolMessage[],
): ToolMessage {
  const remaining = messages.flatMap((message) => message.parts)
  const parts = calls.map((call, index): ToolResultPart => {
    const position = remaining.findIndex((part) => part.toolCallId === call.toolCallId)
    const [part] = position < 0 ? [] : remaining.splice(position, 1)
    return {
      ...(part ?? unanswered(call)),
      toolCallId: ids[index] ?? call.toolCallId,
      ...(call.providerCallId !== undefined && { providerCallId: call.providerCallId }),
    }
  })
  const [first] = messages
  const isUnchanged =
    messages.length === 1 &&
    first?.parts.length === parts.length &&
    parts.every((part, index) => isSamePair(part, first.parts[index]))
  return isUnchanged && first ? first : { role: 'tool', parts }
}

function isSamePair(healed: ToolResultPart, stored: ToolResultPart | undefined): boolean {
  return healed.toolCallId === stored?.toolCallId && healed.providerCallId === stored.providerCallId
}

function unanswered(call: ToolCallPart): ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    output: call.error
      ? { type: 'error', code: call.error.code, message: call.error.message }
      : {
          type: 'error',
          code: 'interrupted',
          message: 'No result is known: the call may or may not have happened. Check first.',
        },
  }
}
