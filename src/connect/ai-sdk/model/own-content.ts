import type { JsonObject } from '../../../protocol/json.ts'
import type { AssistantMessage } from '../../../protocol/message.ts'
import {
  asCount,
  asObjects,
  asRecord,
  asText,
  parseJson,
} from '../../../providers/core/read-json.ts'
import { legalToolName } from '../../../providers/core/wire-ids.ts'

/** A block of the model's answer, with data that its provider wants back unchanged: signatures, ids. */
export interface Block {
  readonly type: 'text' | 'reasoning' | 'tool-call'
  /** Text of the block. For a call: the id of the call. */
  text: string
  options?: JsonObject
}

/** A part of an assistant's message in the form that AI SDK models take. */
export type ContentPart = JsonObject & { readonly type: string }

/** Data to store with the answer. Contains only the lengths of texts, because the message has the texts themselves. */
export function storedBlocks(blocks: readonly Block[]): JsonObject | undefined {
  if (!blocks.some(({ type, options }) => type === 'reasoning' || options)) return undefined
  const stored = blocks.map(({ type, text, options }): JsonObject => ({
    type,
    ...(type === 'text' ? { length: text.length } : { text }),
    ...(options && { options }),
  }))
  return { blocks: stored }
}

/** Metadata of a stream's part, if it can be stored as JSON. */
export function optionsOf(part: { readonly [key: string]: unknown }): JsonObject | undefined {
  const metadata = part['providerMetadata']
  if (!asRecord(metadata)) return undefined
  try {
    return asRecord(parseJson(JSON.stringify(metadata))) as JsonObject | undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the answer as it is sent back to the model. Reasoning keeps its place between the texts, but comes first if
 * the text has changed. `id`: the provider's. `idOf`: returns a call's id in this request.
 */
export function ownContent(
  { parts, providerMetadata }: AssistantMessage,
  id: string,
  idOf: (call: CallPart) => string,
): ContentPart[] {
  const blocks = asObjects(providerMetadata?.[id]?.['blocks'])
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const calls = parts
    .filter((part) => part.type === 'tool-call')
    .map((call) => callContent(call, { blocks, toolCallId: idOf(call) }))
  return [...textAndReasoning(blocks, text), ...calls]
}

export type CallPart = Extract<AssistantMessage['parts'][number], { type: 'tool-call' }>

function textAndReasoning(blocks: readonly JsonObject[], text: string): ContentPart[] {
  const texts = blocks.filter(({ type }) => type === 'text')
  const length = texts.reduce((sum, block) => sum + lengthOf(block), 0)
  const isSame = texts.length > 0 && length === text.length
  let at = 0
  const content = blocks.flatMap((block): ContentPart[] => {
    if (block['type'] === 'reasoning')
      return [withOptions({ type: 'reasoning', text: asText(block['text']) ?? '' }, block)]
    if (block['type'] !== 'text' || !isSame) return []
    const from = at
    at += lengthOf(block)
    return from === at ? [] : [withOptions({ type: 'text', text: text.slice(from, at) }, block)]
  })
  return isSame || text === '' ? content : [...content, { type: 'text', text }]
}

function callContent(
  call: CallPart,
  { blocks, toolCallId }: { readonly blocks: readonly JsonObject[]; readonly toolCallId: string },
): ContentPart {
  const ids = [call.providerCallId, call.toolCallId]
  const block = blocks.find(
    ({ type, text }) => type === 'tool-call' && ids.includes(asText(text) ?? ''),
  )
  const toolName = legalToolName(call.toolName)
  return withOptions({ type: 'tool-call', toolCallId, toolName, input: call.input ?? {} }, block)
}

function lengthOf(block: JsonObject): number {
  return asCount(block['length']) ?? 0
}

function withOptions(part: ContentPart, block: JsonObject | undefined): ContentPart {
  const options = asRecord(block?.['options']) as JsonObject | undefined
  return options ? { ...part, providerOptions: options } : part
}
