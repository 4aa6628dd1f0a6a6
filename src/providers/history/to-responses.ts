import { sameJson } from '../../lib/same-json.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, Message } from '../../protocol/message.ts'
import { withPictures } from '../openai-responses/item-content.ts'
import { asObjects } from '../core/read-json.ts'
import type { Target, ToHistoryOptions } from './extension.ts'
import type { OpenAIMessage, ResponsesItem } from './formats.ts'
import { readOwn } from './from-responses.ts'
import { asJson, isAnswer, toItemParts } from './responses-items.ts'
import { chatMessages } from './to-openai.ts'

/**
 * Converts messages, as in snapshots and `agent.conversations.get()`, to items of OpenAI's Responses API: a request's
 * `input`. An answer's own items stay unchanged. Pure. `fromResponses` returns the same messages, without their ids.
 * With `extensions: 'refuse'` it throws `invalid-history` for content that the format can't express.
 */
export function toResponses(
  messages: readonly Message[],
  { extensions = 'keep' }: ToHistoryOptions = {},
): ResponsesItem[] {
  const items: JsonObject[] = []
  for (const [index, message] of messages.entries()) {
    const target: Target = { shape: 'responses', extensions, index }
    const [first, ...rest] =
      message.role === 'assistant'
        ? (ownStep(message, target) ?? chatMessages(message, target).flatMap(itemsOf))
        : chatMessages(message, target).flatMap(itemsOf)
    if (!first) continue
    // Two adjacent answers need a mark: else they would be read as one.
    const last = items.at(-1)
    const begins =
      message.role === 'assistant' && extensions === 'keep' && last !== undefined && isAnswer(last)
    const offstage = { ...asJson(first['offstage']), step: true }
    items.push(begins ? { ...first, offstage } : first, ...rest)
  }
  return items as ResponsesItem[]
}

/** The items stored with the model's answer, if they contain the whole message. */
function ownStep(message: AssistantMessage, { extensions }: Target): JsonObject[] | undefined {
  const { id: _, ...stored } = message
  const given = asObjects(stored.providerMetadata?.['openai']?.['items'])
  const files = stored.parts.filter((part) => part.type === 'file')
  const items = withPictures(given, files)
  if (items.length === 0) return undefined
  const own = readOwn(items, 'items')
  const says = extensions === 'omit' ? sameJson(own.parts, stored.parts) : sameJson(own, stored)
  return says ? items : undefined
}

function itemsOf(message: OpenAIMessage): JsonObject[] {
  const { role, content, ...rest } = message as unknown as JsonObject
  if (role === 'assistant') return answerItems(content, rest)
  if (role !== 'tool')
    return [{ type: 'message', role: role ?? '', content: toItemParts(content, 'input'), ...rest }]
  const { tool_call_id: callId, ...fields } = rest
  const output = typeof content === 'string' ? content : toItemParts(content, 'input')
  return [{ type: 'function_call_output', call_id: callId ?? '', output, ...fields }]
}

function answerItems(content: JsonValue | undefined, fields: JsonObject): JsonObject[] {
  const { tool_calls: calls = [], ...rest } = fields
  const items = (calls as JsonObject[]).map(({ id, function: named, ...call }) => ({
    call_id: id ?? '',
    ...asJson(named),
    ...call,
    type: 'function_call',
  }))
  const parts = toItemParts(content, 'output')
  const isMessage = parts.length > 0 || items.length === 0 || Object.keys(rest).length > 0
  return isMessage
    ? [{ type: 'message', role: 'assistant', content: parts, ...rest }, ...items]
    : items
}
