import type { JsonObject } from '../../protocol/json.ts'
import type { ToolCallStreamPart } from '../../protocol/stream-part.ts'
import { asArguments } from '../core/argument-value.ts'
import { asList, asRecord, parseJson, type JsonRecord } from '../core/read-json.ts'

/** A content block as it grows. */
export interface Block {
  readonly index: number | undefined
  readonly type: string
  /** As `content_block_start` gave it. */
  readonly start: JsonRecord
  readonly text: string[]
  readonly signature: string[]
  readonly json: string[]
  /** What goes back beside it: a text's citations, what a delta made of a compaction. */
  readonly fields: { [name: string]: unknown }
  /** Its deltas came before its start. */
  readonly isMade?: boolean
  /** Its end was sent. */
  isStopped: boolean
}

export function newBlock(index: number | undefined, type: string, start: JsonRecord): Block {
  const block: Block = {
    index,
    type,
    start,
    text: [],
    signature: [],
    json: [],
    fields: {},
    isStopped: false,
  }
  if (type === 'text') for (const citation of asList(start['citations'])) cite(block, citation)
  return block
}

/** Another citation of a text. Those of web searches (`encrypted_index`) are demanded back with it. */
export function cite(block: Block, citation: unknown): void {
  const citations = (block.fields['citations'] ??= []) as unknown[]
  citations.push(citation)
}

/** A delta of a compaction: its texts are put together. */
export function compact(block: Block, delta: JsonRecord): void {
  const { fields } = block
  for (const [name, value] of Object.entries(delta)) {
    if (name === 'type' || name === '__proto__') continue
    const before = fields[name]
    if (typeof before !== 'string') fields[name] = value
    else if (typeof value === 'string') fields[name] = before + value
  }
}

/** A call of the page's tools. (Server tools run at the vendor's.) */
export function isCall(block: Block): boolean {
  return block.type === 'tool_use'
}

/** Its text is for a person: the reply or the thinking. */
export function isReadable(block: Block): boolean {
  return block.type === 'text' || block.type === 'thinking'
}

/** The input that came with the block's start, when no deltas followed. (`{}` announces them.) */
export function startInput({ start, json }: Block): string | undefined {
  const { input } = start
  const record = asRecord(input)
  const isNone = record !== undefined && Object.keys(record).length === 0
  return isNone || json.length > 0 ? undefined : asArguments(input)
}

/**
 * The message's content to be sent back, byte for byte where it is signed; undefined when text and calls
 * suffice.
 */
export function contentToReplay(
  blocks: readonly Block[],
  calls: readonly ToolCallStreamPart[],
): JsonObject[] | undefined {
  const isPlain = blocks.every(
    (block) => isCall(block) || (block.type === 'text' && Object.keys(block.fields).length === 0),
  )
  if (isPlain) return undefined
  const left = [...calls]
  return blocks.map((block) => replayed(block, isCall(block) ? left.shift() : undefined))
}

function replayed(block: Block, call: ToolCallStreamPart | undefined): JsonObject {
  const start = block.start as JsonObject
  const text = block.text.join('')
  switch (block.type) {
    case 'text':
      return { type: 'text', text, ...block.fields }
    case 'thinking':
      return { ...start, type: 'thinking', thinking: text, signature: block.signature.join('') }
    case 'tool_use':
      return { ...start, input: call?.input ?? {} }
    default: {
      const input = asRecord(parseJson(block.json.join('')))
      return { ...start, ...block.fields, ...(input && { input: input as JsonObject }) }
    }
  }
}
