import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
} from '../../protocol/message.ts'
import { asRecord } from '../core/read-json.ts'
import { fromOffstage } from './from-offstage.ts'
import { fromVendor } from './from-vendor.ts'
import { invalidHistory } from './invalid-history.ts'

/**
 * Earlier messages in Offstage's own format, from any of three: Offstage's, OpenAI's (Chat
 * Completions) or Anthropic's (Messages), mixed too. Pure. Throws `invalid-history`, naming the message,
 * for what can't be read in full: a model must not go on from half a conversation. Calls may lack their
 * results; results without a call are refused. Ids that stand twice are made unique.
 */
export function importHistory(messages: unknown): Message[] {
  if (!Array.isArray(messages)) throw invalidHistory('history', 'must be an array of messages')
  const matched = new CallMatcher()
  return messages.flatMap((given: unknown, index) => {
    const at = `history[${index}]`
    const message = asRecord(given)
    if (!message) throw invalidHistory(at, 'is no message')
    const read = 'parts' in message ? [fromOffstage(message, at)] : fromVendor(message, at)
    return read.map((each, part): Message => {
      const id = each.id ?? (part === 0 ? `imported:${index}` : `imported:${index}.${part}`)
      if (each.role === 'assistant') return matched.calls({ ...each, id })
      return each.role === 'tool' ? matched.results({ ...each, id }, at) : { ...each, id }
    })
  })
}

/** Assigns every call an id of its own, and every result the id and name of its call. */
class CallMatcher {
  readonly #used = new Set<string>()
  /** Calls without a result yet, oldest first, by the id that the history gave them. */
  readonly #open = new Map<string, ToolCallPart[]>()

  calls(message: AssistantMessage): AssistantMessage {
    return {
      ...message,
      parts: message.parts.map((part) => (part.type === 'tool-call' ? this.#call(part) : part)),
    }
  }

  results(message: ToolMessage, at: string): ToolMessage {
    return {
      ...message,
      parts: message.parts.map((part) => {
        const call = this.#open.get(part.toolCallId)?.shift()
        if (!call)
          throw invalidHistory(
            at,
            `has a result for ${part.toolCallId}, which no call before it waits for`,
          )
        const { toolCallId, toolName, providerCallId } = call
        return { ...part, toolCallId, toolName, ...(providerCallId && { providerCallId }) }
      }),
    }
  }

  #call(part: ToolCallPart): ToolCallPart {
    const given = part.toolCallId
    let toolCallId = given
    for (let count = 2; this.#used.has(toolCallId); count++) toolCallId = `${given}_${count}`
    this.#used.add(toolCallId)
    const call = toolCallId === given ? part : { providerCallId: given, ...part, toolCallId }
    this.#open.set(given, [...(this.#open.get(given) ?? []), call])
    return call
  }
}
