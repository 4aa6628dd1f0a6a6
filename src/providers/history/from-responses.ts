import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, FilePart, Message } from '../../protocol/message.ts'
import { asArguments } from '../core/argument-value.ts'
import { parseToolInput } from '../core/parse-tool-input.ts'
import { asObjects, asRecord, asText } from '../core/read-json.ts'
import { GAP, partText } from '../openai-responses/item-content.ts'
import { joined, plain } from './from-histories.ts'
import { fromVendor } from './from-vendor.ts'
import { CallMatcher } from './import-history.ts'
import { invalidHistory } from './invalid-history.ts'
import { asJson, fromItemParts, isAnswer } from './responses-items.ts'

type Part = AssistantMessage['parts'][number]

/**
 * Converts items of OpenAI's Responses API to messages without ids. Takes an array, or a request's fields `instructions`
 * and `input`. The items of one answer become one message, which keeps them. Output of `toResponses` is read without
 * loss. Pure. Throws as `fromOpenAI` does.
 */
export function fromResponses(
  history:
    | readonly object[]
    | { readonly instructions?: string; readonly input: string | readonly object[] },
): Message[] {
  const { instructions, input } = asRecord(plain(history)) ?? { input: plain(history) }
  const items: unknown = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  if (!Array.isArray(items)) throw invalidHistory('history', 'must be an array of items')
  const matched = new CallMatcher()
  const text = asText(instructions)
  return joined([
    ...(text === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', text }] } as const]),
    ...stepsOf(items).flatMap(({ at, step }) =>
      readItems(step, at).map((message) => matched.match(message, at)),
    ),
  ])
}

interface Step {
  readonly at: string
  readonly step: JsonObject[]
}

/** Groups the items by answer. Inputs and outputs of calls each form a separate group. */
function stepsOf(items: readonly unknown[]): Step[] {
  const steps: Step[] = []
  let isOpen = false
  for (const [index, value] of items.entries()) {
    const at = `history[${index}]`
    const item = asRecord(value) as JsonObject | undefined
    if (!item) throw invalidHistory(at, 'is no item')
    if (item['type'] === 'item_reference')
      throw invalidHistory(at, 'is an item that is somewhere else')
    const answers = isAnswer(item)
    const goesOn = isOpen && answers && asJson(item['offstage'])['step'] !== true
    if (goesOn) steps.at(-1)?.step.push(item)
    else steps.push({ at, step: [item] })
    isOpen = answers
  }
  return steps
}

function readItems(step: readonly JsonObject[], at: string): Message[] {
  const [item = {}] = step
  const place = { at, field: '', shape: 'responses' } as const
  if (isAnswer(item))
    return isBuilt(step) ? fromVendor(chatAnswer(step), place) : [readOwn(step, at)]
  const { type: _, content, output, call_id: callId, ...rest } = item
  return item['type'] === 'function_call_output'
    ? fromVendor(
        { role: 'tool', tool_call_id: callId, content: fromItemParts(output), ...rest },
        place,
      )
    : fromVendor({ content: fromItemParts(content), ...rest }, place)
}

/** Whether `toResponses` may have built the items from a message's parts. */
function isBuilt(step: readonly JsonObject[]): boolean {
  const isExtended = step.some(({ offstage }) =>
    Object.keys(asJson(offstage)).some((name) => name !== 'step'),
  )
  return isExtended || step.every((item, at) => isPlain(item, at === 0))
}

function isPlain(item: JsonObject, isFirst: boolean): boolean {
  const { offstage: _, ...fields } = item
  if (item['type'] === 'function_call') return has(fields, ['type', 'call_id', 'name', 'arguments'])
  return (
    isFirst &&
    has(fields, ['type', 'role', 'content']) &&
    asObjects(item['content']).every((part) => has(part, ['type', 'text', 'refusal', 'offstage']))
  )
}

function has(fields: JsonObject, names: readonly string[]): boolean {
  return Object.keys(fields).every((name) => names.includes(name))
}

/** Converts an answer to Chat Completions, for `fromVendor`. */
function chatAnswer(step: readonly JsonObject[]): JsonObject {
  const {
    type: _,
    content,
    offstage,
    ...rest
  } = step.find(({ type }) => type !== 'function_call') ?? {}
  const { step: __, ...kept } = asJson(offstage)
  const calls = step.filter(({ type }) => type === 'function_call').map(chatCall)
  return {
    ...rest,
    role: 'assistant',
    content: (content === undefined ? null : fromItemParts(content)) as JsonValue,
    ...(calls.length > 0 && { tool_calls: calls }),
    offstage: kept,
  }
}

function chatCall(item: JsonObject): JsonObject {
  const { type: _, call_id: id, name, arguments: args, offstage, ...fields } = item
  const { step: __, ...kept } = asJson(offstage)
  const named = { name: name ?? '', arguments: args ?? '' }
  return { ...fields, id: id ?? '', type: 'function', function: named, offstage: kept }
}

/** Reads an answer like a stream of its items: parts in the items' order, with the items as metadata. */
export function readOwn(step: readonly JsonObject[], at: string): AssistantMessage {
  const parts: Part[] = []
  const said = new Set<string>()
  const say = (type: 'text' | 'reasoning', text: string): void => {
    if (text === '') return
    const whole = said.has(type) ? GAP + text : text
    said.add(type)
    const last = parts.at(-1)
    if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + whole }
    else parts.push({ type, text: whole })
  }
  const items = step.map((given) => {
    const { offstage: _, ...item } = given
    const texts = [...asObjects(item['summary']), ...contentParts(item['content'])].map(partText)
    switch (item['type'] ?? 'message') {
      case 'message':
        say('text', texts.join(''))
        break
      case 'reasoning':
        for (const text of texts) say('reasoning', text)
        break
      case 'function_call':
        parts.push(readCall(item, at))
        break
      case 'image_generation_call': {
        const picture = pictureOf(item)
        if (!picture) break
        parts.push(picture)
        return { ...item, result: '' }
      }
      default:
    }
    return item
  })
  return { role: 'assistant', parts, providerMetadata: { openai: { items } } }
}

function contentParts(content: unknown): JsonObject[] {
  return typeof content === 'string' ? [{ text: content }] : asObjects(content)
}

function readCall(item: JsonObject, at: string): Part {
  const toolCallId = asText(item['call_id']) ?? asText(item['id'])
  const toolName = asText(item['name'])
  if (toolCallId === undefined || toolName === undefined)
    throw invalidHistory(at, 'has a call without an id or a name')
  const args = asArguments(item['arguments']) ?? ''
  const read = args.trim() === '' ? { input: {} } : parseToolInput(args)
  const ref = { type: 'tool-call', toolCallId, toolName } as const
  return 'error' in read ? { ...ref, ...read, rawInput: args } : { ...ref, ...read }
}

function pictureOf({ result, output_format: format }: JsonObject): FilePart | null {
  const data = asText(result)
  return data === undefined
    ? null
    : { type: 'file', mediaType: `image/${asText(format) ?? 'png'}`, data }
}
