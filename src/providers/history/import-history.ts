import type {
  AssistantMessage,
  Message,
  ToolCallPart,
  ToolMessage,
} from '../../protocol/message.ts'
import { asObjects, asRecord, type JsonRecord } from '../core/read-json.ts'
import { fromOffstage } from './from-offstage.ts'
import { fromVendor } from './from-vendor.ts'
import { invalidHistory } from './invalid-history.ts'
import type { Shape } from './place.ts'

/**
 * Earlier messages in Offstage's own format, from any of three: Offstage's, OpenAI's (Chat
 * Completions) or Anthropic's (Messages), mixed too. Pure. Throws `invalid-history`, naming the message,
 * for what can't be read in full: a model must not go on from half a conversation. Calls may lack their
 * results; results without a call, or behind a later answer, are refused. Ids that stand twice are made unique.
 */
export function importHistory(messages: unknown): Message[] {
  return readHistory(messages).flatMap((read, index) =>
    read.map((message, part) => ({
      id: part === 0 ? `imported:${index}` : `imported:${index}.${part}`,
      ...message,
    })),
  )
}

/**
 * What each given message comes to, with ids only where it had one. `shape`: the format of fields that
 * Offstage has no word for; else each message tells.
 */
export function readHistory(messages: unknown, shape?: Shape): Message[][] {
  if (!Array.isArray(messages)) throw invalidHistory('history', 'must be an array of messages')
  const matched = new CallMatcher()
  return messages.map((given: unknown, index) => {
    const at = `history[${index}]`
    const message = asRecord(given)
    if (!message) throw invalidHistory(at, 'is no message')
    const place = { at, field: '', shape: shape ?? shapeOf(message) }
    const read = 'parts' in message ? [fromOffstage(message, at)] : fromVendor(message, place)
    return read.map((each) => matched.match(each, at))
  })
}

const ANTHROPIC = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'image',
  'document',
])

function shapeOf({ content }: JsonRecord): Shape {
  const isAnthropic = asObjects(content).some(
    (block) =>
      ANTHROPIC.has(String(block['type'])) || 'cache_control' in block || 'citations' in block,
  )
  return isAnthropic ? 'anthropic' : 'openai'
}

/** Assigns every call an id of its own, and every result the id and name of its call. */
export class CallMatcher {
  readonly #used = new Set<string>()
  /** Calls of the newest answer without a result yet, oldest first, by the id that the history gave them. */
  readonly #open = new Map<string, ToolCallPart[]>()

  match(message: Message, at: string): Message {
    if (message.role === 'assistant') return this.#calls(message)
    return message.role === 'tool' ? this.#results(message, at) : message
  }

  #calls(message: AssistantMessage): AssistantMessage {
    // No vendor takes results behind a later answer.
    this.#open.clear()
    return {
      ...message,
      parts: message.parts.map((part) => (part.type === 'tool-call' ? this.#call(part) : part)),
    }
  }

  #results(message: ToolMessage, at: string): ToolMessage {
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
