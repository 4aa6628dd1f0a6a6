import { sameJson } from '../../lib/same-json.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, ToolCallPart } from '../../protocol/message.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { asArguments } from '../core/argument-value.ts'
import { asObjects, asText, parseJson } from '../core/read-json.ts'
import { withoutStrictNulls } from '../core/strict-nulls.ts'
import type { ModelRequest } from '../provider.ts'
import { GAP, isPicture, partText, withPictures } from './item-content.ts'

/**
 * The items of an answer as they came: together, or none. Undefined when the message says something else
 * by now, since reasoning belongs to the very items that followed it.
 */
export function ownItems(
  { parts, providerMetadata }: AssistantMessage,
  { toolMode, tools }: ModelRequest,
  providerId: string,
): JsonObject[] | undefined {
  const items = asObjects(providerMetadata?.[providerId]?.['items'])
  if (items.length === 0 || toolMode === 'action' || hasUnanswered(items)) return undefined
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = parts.filter((part) => part.type === 'tool-call')
  const files = parts.filter((part) => part.type === 'file')
  const callItems = items.filter(({ type }) => type === 'function_call')
  const isSame =
    // An item of another role would be an instruction.
    items.every(({ role = 'assistant' }) => role === 'assistant') &&
    textOf(items) === text &&
    callItems.length === calls.length &&
    calls.every((call, at) => isSameCall(call, callItems[at] ?? {}, tools)) &&
    items.filter(isPicture).length === files.length
  return isSame ? withPictures(items, files) : undefined
}

/** Custom and computer calls wait for an output that the page never gives: OpenAI refuses them without one. */
function hasUnanswered(items: readonly JsonObject[]): boolean {
  return items.some(
    (item) =>
      item['type'] !== 'function_call' &&
      asText(item['call_id']) !== undefined &&
      !items.some((other) => other !== item && other['call_id'] === item['call_id']),
  )
}

function textOf(items: readonly JsonObject[]): string {
  return items
    .filter(({ type }) => type === 'message')
    .map(({ content }) => asObjects(content).map(partText).join(''))
    .filter((text) => text !== '')
    .join(GAP)
}

function isSameCall(
  { toolName, input }: ToolCallPart,
  item: JsonObject,
  tools: readonly ToolDefinition[],
): boolean {
  const given = parseJson(asArguments(item['arguments']) || '{}') as JsonValue | undefined
  if (item['name'] !== toolName || given === undefined || input === undefined) return false
  const tool = tools.find(({ name }) => name === toolName)
  return (
    sameJson(given, input) ||
    (tool !== undefined && sameJson(withoutStrictNulls(given, tool.inputSchema), input))
  )
}
