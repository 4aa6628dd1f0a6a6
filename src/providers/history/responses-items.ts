import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { asObject, asObjects, asRecord, asText } from '../core/read-json.ts'
import type { AssistantMessage, FilePart, Message } from '../../protocol/message.ts'
import { asArguments, parseToolInput } from '../core/parse-tool-input.ts'
import { GAP, partText, withPictures } from '../openai-responses/item-content.ts'
import { CallMatcher, joinToolMessages, toPlainJson } from './import-history.ts'
import { fromVendor } from './from-vendor.ts'
import { invalidHistory } from './place.ts'
import { sameJson } from '../../lib/json/same-json.ts'
import type { Target, ToHistoryOptions } from './read-content.ts'
import type { OpenAIMessage, ResponsesItem } from './formats.ts'
import { chatMessages } from './to-openai.ts'

type Part = AssistantMessage['parts'][number]

/**
 * Converts items of OpenAI's Responses API to messages without ids. Takes an array, or a request's fields
 * `instructions` and `input`. The items of one answer become one message, which also stores them. Reads output of
 * `toResponses` without loss. Pure. Throws the same errors as `fromOpenAI`.
 */
export function fromResponses(
  history:
    | readonly object[]
    | { readonly instructions?: string; readonly input: string | readonly object[] },
): Message[] {
  const { instructions, input } = asRecord(toPlainJson(history)) ?? { input: toPlainJson(history) }
  const items: unknown = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  if (!Array.isArray(items)) throw invalidHistory('history', 'must be an array of items')
  const matcher = new CallMatcher()
  const text = asText(instructions)
  return joinToolMessages([
    ...(text === undefined ? [] : [{ role: 'system', parts: [{ type: 'text', text }] } as const]),
    ...groupSteps(items).flatMap(({ at, step }) =>
      readItems(step, at).map((message) => matcher.match(message, at)),
    ),
  ])
}

interface Step {
  readonly at: string
  readonly step: JsonObject[]
}

/** Groups the items by answer. Each input and each call's output is a separate group. */
function groupSteps(items: readonly unknown[]): Step[] {
  const steps: Step[] = []
  let isOpen = false
  for (const [index, value] of items.entries()) {
    const at = `history[${index}]`
    const item = asRecord(value) as JsonObject | undefined
    if (!item) throw invalidHistory(at, 'is no item')
    if (item['type'] === 'item_reference')
      throw invalidHistory(at, 'refers to an item: pass the item')
    const answers = isAnswer(item)
    const isSameStep = isOpen && answers && asObject(item['offstage'])['step'] !== true
    if (isSameStep) steps.at(-1)?.step.push(item)
    else steps.push({ at, step: [item] })
    isOpen = answers
  }
  return steps
}

function readItems(step: readonly JsonObject[], at: string): Message[] {
  const [item = {}] = step
  const place = { at, field: '', format: 'responses' } as const
  if (isAnswer(item))
    return isBuilt(step) ? fromVendor(chatAnswer(step), place) : [readAnswerItems(step, at)]
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
    Object.keys(asObject(offstage)).some((name) => name !== 'step'),
  )
  return isExtended || step.every((item, at) => isPlain(item, at === 0))
}

function isPlain(item: JsonObject, isFirst: boolean): boolean {
  const { offstage: _, ...fields } = item
  if (item['type'] === 'function_call')
    return hasOnly(fields, ['type', 'call_id', 'name', 'arguments'])
  return (
    isFirst &&
    hasOnly(fields, ['type', 'role', 'content']) &&
    asObjects(item['content']).every((part) =>
      hasOnly(part, ['type', 'text', 'refusal', 'offstage']),
    )
  )
}

function hasOnly(fields: JsonObject, names: readonly string[]): boolean {
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
  const { step: __, ...extras } = asObject(offstage)
  const calls = step.filter(({ type }) => type === 'function_call').map(chatCall)
  return {
    ...rest,
    role: 'assistant',
    content: (content === undefined ? null : fromItemParts(content)) as JsonValue,
    ...(calls.length > 0 && { tool_calls: calls }),
    offstage: extras,
  }
}

function chatCall(item: JsonObject): JsonObject {
  const { type: _, call_id: id, name, arguments: args, offstage, ...fields } = item
  const { step: __, ...extras } = asObject(offstage)
  const functionFields = { name: name ?? '', arguments: args ?? '' }
  return { ...fields, id: id ?? '', type: 'function', function: functionFields, offstage: extras }
}

/** Reads an answer's items into parts, in the items' order, as if they were streamed. Stores the items as metadata. */
function readAnswerItems(step: readonly JsonObject[], at: string): AssistantMessage {
  const parts: Part[] = []
  const startedTypes = new Set<string>()
  const addText = (type: 'text' | 'reasoning', text: string): void => {
    if (text === '') return
    const textWithGap = startedTypes.has(type) ? GAP + text : text
    startedTypes.add(type)
    const last = parts.at(-1)
    if (last?.type === type) parts[parts.length - 1] = { type, text: last.text + textWithGap }
    else parts.push({ type, text: textWithGap })
  }
  const items = step.map((original) => {
    const { offstage: _, ...item } = original
    const texts = [...asObjects(item['summary']), ...contentParts(item['content'])].map(partText)
    switch (item['type'] ?? 'message') {
      case 'message':
        addText('text', texts.join(''))
        break
      case 'reasoning':
        for (const text of texts) addText('reasoning', text)
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
  const parsed = args.trim() === '' ? { input: {} } : parseToolInput(args)
  const ref = { type: 'tool-call', toolCallId, toolName } as const
  return 'error' in parsed ? { ...ref, ...parsed, rawInput: args } : { ...ref, ...parsed }
}

function pictureOf({ result, output_format: format }: JsonObject): FilePart | null {
  const data = asText(result)
  return data === undefined
    ? null
    : { type: 'file', mediaType: `image/${asText(format) ?? 'png'}`, data }
}

/**
 * Converts messages, as in snapshots and `agent.conversations.get()`, to items of OpenAI's Responses API for a
 * request's `input`. An answer's own items stay unchanged. Pure. `fromResponses` returns the same messages, without
 * their ids. With `extensions: 'refuse'`, throws `invalid-history` for content that the format can't express.
 */
export function toResponses(
  messages: readonly Message[],
  { extensions = 'keep' }: ToHistoryOptions = {},
): ResponsesItem[] {
  const items: JsonObject[] = []
  for (const [index, message] of messages.entries()) {
    const target: Target = { format: 'responses', extensions, index }
    const [first, ...rest] =
      message.role === 'assistant'
        ? (storedItems(message, target) ?? chatMessages(message, target).flatMap(itemsOf))
        : chatMessages(message, target).flatMap(itemsOf)
    if (!first) continue
    // Adjacent answers would be read back as one, so the second answer gets a mark.
    const last = items.at(-1)
    const needsMark =
      message.role === 'assistant' && extensions === 'keep' && last !== undefined && isAnswer(last)
    const offstage = { ...asObject(first['offstage']), step: true }
    items.push(needsMark ? { ...first, offstage } : first, ...rest)
  }
  return items as ResponsesItem[]
}

/** The items stored with the model's answer, if the whole message can be restored from them. */
function storedItems(message: AssistantMessage, { extensions }: Target): JsonObject[] | undefined {
  const { id: _, ...stored } = message
  const rawItems = asObjects(stored.providerMetadata?.['openai']?.['items'])
  const files = stored.parts.filter((part) => part.type === 'file')
  const items = withPictures(rawItems, files)
  if (items.length === 0) return undefined
  const restored = readAnswerItems(items, 'items')
  const isSame =
    extensions === 'omit' ? sameJson(restored.parts, stored.parts) : sameJson(restored, stored)
  return isSame ? items : undefined
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
  const items = (calls as JsonObject[]).map(({ id, function: functionFields, ...call }) => ({
    call_id: id ?? '',
    ...asObject(functionFields),
    ...call,
    type: 'function_call',
  }))
  const parts = toItemParts(content, 'output')
  const isMessage = parts.length > 0 || items.length === 0 || Object.keys(rest).length > 0
  return isMessage
    ? [{ type: 'message', role: 'assistant', content: parts, ...rest }, ...items]
    : items
}

/**
 * Converts content parts of Chat Completions to the Responses API, where types have other names and fields are nested
 * less deeply. `side`: `input` from the user, `output` from the model.
 */
function toItemParts(content: unknown, side: 'input' | 'output'): JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content)
  return parts.map(({ type, ...part }) => {
    switch (type) {
      case 'text':
        return { type: `${side}_text`, ...part }
      case 'image_url': {
        const { image_url: image, ...rest } = part
        const { url, ...inner } = asObject(image)
        return { type: 'input_image', detail: 'auto', image_url: url ?? '', ...inner, ...rest }
      }
      case 'file': {
        const { file, ...rest } = part
        return { type: 'input_file', ...asObject(file), ...rest }
      }
      default:
        return { type: type ?? '', ...part }
    }
  })
}

/** Reverses `toItemParts`. */
function fromItemParts(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((part: unknown) => {
    const { type, offstage, ...fields } = asObject(part)
    const extras = offstage === undefined ? {} : { offstage }
    switch (type) {
      case 'input_text':
      case 'output_text':
        return { type: 'text', ...fields, ...extras }
      case 'input_image': {
        const { image_url: url, detail, ...inner } = fields
        const isUsual = detail === undefined || detail === 'auto'
        return {
          type: 'image_url',
          image_url: { url, ...(!isUsual && { detail }), ...inner },
          ...extras,
        }
      }
      case 'input_file':
        return { type: 'file', file: fields, ...extras }
      default:
        return part
    }
  })
}

/** Whether an item belongs to the model's answer. Inputs and outputs of calls don't. */
function isAnswer({ type = 'message', role }: JsonObject): boolean {
  return type === 'message' ? role === 'assistant' : type !== 'function_call_output'
}
