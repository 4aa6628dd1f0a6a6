import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  CallErrorCode,
  FilePart,
  TextPart,
  ToolOutput,
  ToolResultPart,
  AssistantMessage,
  Foreign,
} from '../../protocol/message.ts'
import { asRecord, asText, type JsonRecord, parseJson } from '../core/read-json.ts'
import {
  asJson,
  toBlocks,
  collectForeign,
  readExtension,
  type Placed,
  historyErrorAt,
  requireText,
  type HistoryFormat,
  invalidHistory,
} from './place.ts'

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

/** Image types that Anthropic accepts. */
type ImageType = (typeof IMAGES)[number]

export function isImageType(mediaType: string): mediaType is ImageType {
  return (IMAGES as readonly string[]).includes(mediaType)
}

const AUDIO = new Map([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
] as const)

/** Returns the `input_audio` format of a media type; undefined if Chat Completions has none for it. */
export function audioFormat(mediaType: string): 'wav' | 'mp3' | undefined {
  return [...AUDIO].find(([type]) => type === mediaType)?.[1]
}

/** Returns the block type for a file of this media type; undefined if the format has none. */
export function fileKind(shape: HistoryFormat, mediaType: string): string | undefined {
  if (shape === 'anthropic') {
    if (isImageType(mediaType)) return 'image'
    return mediaType === 'application/pdf' ? 'document' : undefined
  }
  if (mediaType.startsWith('image/')) return 'image_url'
  return audioFormat(mediaType) ? 'input_audio' : 'file'
}

/** Start of a denied call's result. */
const DENIED = 'Denied by the person.'
const DENIED_PREFIX = 'Denied by the person: '

/** Start of a failed call's result, for formats that can't mark errors. */
function errorPrefix(code: string): string {
  return `Error (${code}): `
}

/**
 * Reads a result: a message with the role `tool`, or a block `tool_result`. `CallMatcher` adds the tool's name later.
 */
export function readResult(
  result: Placed,
  idField: 'tool_call_id' | 'tool_use_id',
): ToolResultPart {
  const { fields } = result
  const { note } = readExtension(result)
  const isMarked = idField === 'tool_use_id'
  const { output, isWhole } = readOutput(result, isMarked)
  const readFields = ['role', 'type', idField, ...(isWhole ? ['content'] : [])]
  return {
    type: 'tool-result',
    toolCallId: requireText(result, idField),
    toolName: '',
    output,
    ...(typeof note === 'string' && { note }),
    ...collectForeign(
      result,
      fields['is_error'] === true ? [...readFields, 'is_error'] : readFields,
    ),
  }
}

interface ReadOutput {
  readonly output: ToolOutput
  /** The output contains the whole content, so the original content needn't be kept. */
  readonly isWhole: boolean
}

function readOutput(result: Placed, isMarked: boolean): ReadOutput {
  const { fields, place } = result
  const content = fields['content'] ?? ''
  const parts = toBlocks(content, place).map(readContent)
  const text = textOf(parts)
  const [first] = parts
  const isText = parts.length === 1 && first?.type === 'text' && !first.foreign
  const extras = readExtension(result)
  const isError = fields['is_error'] === true
  const declaredOutput = outputFromExtension(extras, text, isMarked)
  if (declaredOutput) return { output: declaredOutput, isWhole: isText }
  if (extras['output'] === 'content')
    return { output: { type: 'content', value: parts }, isWhole: true }
  if (isError) return { output: { type: 'error', code: 'failed', message: text }, isWhole: isText }
  return {
    output: isText ? { type: 'text', value: text } : { type: 'content', value: parts },
    isWhole: true,
  }
}

/** Returns the text of an error's content; undefined if it can't be read. */
export function errorText(content: unknown): string | undefined {
  try {
    const place = { at: 'content', field: '', format: 'anthropic' } as const
    return textOf(toBlocks(content, place).map(readContent))
  } catch {
    return undefined
  }
}

function textOf(parts: readonly (TextPart | FilePart)[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** If the `offstage` extension says which output the text is, returns that output. Otherwise undefined. */
function outputFromExtension(
  { output, code }: { readonly [field: string]: unknown },
  text: string,
  isMarked: boolean,
): ToolOutput | undefined {
  switch (output) {
    case 'json': {
      const value = parseJson(text)
      return value === undefined ? undefined : { type: 'json', value: value as JsonValue }
    }
    case 'error': {
      const errorCode = (code ?? 'failed') as CallErrorCode
      const message = isMarked ? text : withoutPrefix(text, errorPrefix(errorCode))
      return { type: 'error', code: errorCode, message }
    }
    case 'denied':
      if (text === DENIED) return { type: 'denied' }
      return { type: 'denied', reason: withoutPrefix(text, DENIED_PREFIX) }
    default:
      return undefined
  }
}

function withoutPrefix(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}

/** Reads text or a file from a content part of Chat Completions or a block of Anthropic's Messages. */
export function readContent(block: Placed): TextPart | FilePart {
  const { fields } = block
  switch (fields['type']) {
    case 'image_url':
      return readDataUrlFile(block, { name: 'image_url', data: 'url' })
    case 'file':
      return readDataUrlFile(block, { name: 'file', data: 'file_data' })
    case 'input_audio':
      return readAudio(block)
    case 'image':
    case 'document':
      return readDocumentBlock(block)
    default:
      return fileFromExtension(block) ?? readTextPart(block)
  }
}

export function readTextPart(block: Placed): TextPart {
  const { fields, place } = block
  const { type, text } = fields
  if (type !== 'text' || typeof text !== 'string')
    throw historyErrorAt(
      place,
      `has content of the type ${JSON.stringify(type)}, which can't be read`,
    )
  return { type: 'text', text, ...collectForeign(block, ['type', 'text']) }
}

/** Restores a file from its text placeholder, which replaces files that the format can't express. */
function fileFromExtension(block: Placed): FilePart | undefined {
  const file = asRecord(readExtension(block)['file'])
  if (!file) return undefined
  const { mediaType, data, filename } = file as unknown as FilePart
  return {
    type: 'file',
    mediaType,
    data,
    ...(filename !== undefined && { filename }),
    ...collectForeign(block, ['type', 'text']),
  }
}

/** Reads a file from a nested object with a data URL. */
function readDataUrlFile(
  block: Placed,
  { name, data: urlField }: { readonly name: string; readonly data: string },
): FilePart {
  const inner = asRecord(block.fields[name]) ?? {}
  const [, mediaType = '', data = ''] =
    /^data:([^,]+?);base64,(.+)$/s.exec(asText(inner[urlField]) ?? '') ?? []
  if (data === '') throw referenceError(block)
  const filename = inner['filename'] ?? readExtension(block)['filename']
  const readFields = ['type', name]
  const rest = pickUnread(inner, name === 'file' ? [urlField, 'filename'] : [urlField])
  return {
    type: 'file',
    mediaType,
    data,
    ...(typeof filename === 'string' && { filename }),
    ...collectForeign(block, readFields, {
      ...(Object.keys(rest).length > 0 && { [name]: rest }),
      ...(fileKind('openai', mediaType) !== name && { type: name }),
    }),
  }
}

function readAudio(block: Placed): FilePart {
  const { fields, place } = block
  const inner = { fields: asRecord(fields['input_audio']) ?? {}, place }
  const format = requireText(inner, 'format')
  const { filename } = readExtension(block)
  const rest = pickUnread(inner.fields, ['data', 'format'])
  return {
    type: 'file',
    mediaType: `audio/${format === 'mp3' ? 'mpeg' : format}`,
    data: requireText(inner, 'data'),
    ...(typeof filename === 'string' && { filename }),
    ...collectForeign(
      block,
      ['type', 'input_audio'],
      Object.keys(rest).length > 0 ? { input_audio: rest } : {},
    ),
  }
}

/**
 * Reads an image or a document. A plain-text document becomes text. Its foreign fields record that it was a document.
 */
function readDocumentBlock(block: Placed): TextPart | FilePart {
  const { fields, place } = block
  const type = requireText(block, 'type')
  const source = { fields: asRecord(fields['source']) ?? {}, place }
  if (source.fields['type'] === 'text') {
    const rest = pickUnread(source.fields, ['data'])
    const more = { type, source: rest }
    return {
      type: 'text',
      text: requireText(source, 'data'),
      ...collectForeign(block, ['source'], more),
    }
  }
  if (source.fields['type'] !== 'base64') throw referenceError(block)
  const mediaType = requireText(source, 'media_type')
  const { title } = fields
  const isNamed = type === 'document' && typeof title === 'string'
  const filename = isNamed ? title : readExtension(block)['filename']
  return {
    type: 'file',
    mediaType,
    data: requireText(source, 'data'),
    ...(typeof filename === 'string' && { filename }),
    ...collectForeign(
      block,
      isNamed ? ['type', 'source', 'title'] : ['type', 'source'],
      fileKind('anthropic', mediaType) === type ? {} : { type },
    ),
  }
}

function pickUnread(fields: JsonRecord, read: readonly string[]): JsonObject {
  return asJson(Object.fromEntries(Object.entries(fields).filter(([name]) => !read.includes(name))))
}

function referenceError({ place }: Placed): Error {
  return historyErrorAt(place, 'refers to a file: only base64 data can be imported')
}

/** Writes a result as text. `errors`: whether the format can mark errors, or the text itself must report them. */
export function resultText(
  output: Exclude<ToolOutput, { readonly type: 'content' }>,
  errors: 'marked' | 'in-words',
): string {
  switch (output.type) {
    case 'text':
      return output.value
    case 'json':
      return JSON.stringify(output.value)
    case 'error':
      return errors === 'marked' ? output.message : errorPrefix(output.code) + output.message
    case 'denied':
      return output.reason === undefined ? DENIED : DENIED_PREFIX + output.reason
    default:
      return output satisfies never
  }
}

/** Extension fields for everything that the result's text can't express. */
export function resultExtension(
  { output, note, foreign }: ToolResultPart,
  target: Target,
): { readonly [name: string]: JsonValue | undefined } {
  return { note, ...outputFields(output, target), ...otherForeign(foreign, target) }
}

function outputFields(
  output: ToolOutput,
  { format: shape }: Target,
): { readonly output?: string; readonly code?: string } {
  switch (output.type) {
    case 'text':
      return {}
    case 'json':
    case 'denied':
      return { output: output.type }
    case 'error':
      return shape === 'anthropic' && output.code === 'failed'
        ? {}
        : { output: 'error', code: output.code }
    case 'content': {
      const [first] = output.value
      return output.value.length === 1 && first && isBare(first) ? { output: output.type } : {}
    }
    default:
      return output satisfies never
  }
}

function isBare(part: ToolOutput | TextPart | { readonly type: 'file' }): boolean {
  return part.type === 'text' && !('foreign' in part && part.foreign)
}

type Part = AssistantMessage['parts'][number]

/**
 * The order of an assistant message's parts, for formats that separate text, reasoning and calls. `t` (text) and
 * `r` (reasoning) are followed by a length in UTF-16 units. `c` is a call, `f` a file.
 */
export function encodeOrder(parts: readonly Part[]): string[] {
  return parts.map((part) => {
    switch (part.type) {
      case 'tool-call':
        return 'c'
      case 'file':
        return 'f'
      case 'text':
        return `t${part.text.length}`
      case 'reasoning':
        return `r${part.text.length}`
      default:
        return part satisfies never
    }
  })
}

/** Restores an order from `encodeOrder`. If the order doesn't fit the parts, they stay as they are. */
export function restoreOrder(parts: readonly Part[], order: unknown): readonly Part[] {
  if (!Array.isArray(order)) return parts
  const texts = new Cutter('text', parts)
  const thoughts = new Cutter('reasoning', parts)
  const calls = parts.filter((part) => part.type === 'tool-call')
  const files = parts.filter((part) => part.type === 'file')
  const arrangement = order.map((entry: unknown): Part | undefined => {
    const [, kind, length] = /^([trcf])(\d{0,9})$/.exec(String(entry)) ?? []
    if (kind === 'c') return calls.shift()
    if (kind === 'f') return files.shift()
    return (kind === 't' ? texts : thoughts).cut(Number(length || NaN))
  })
  const isWhole = calls.length + files.length === 0 && texts.isDone && thoughts.isDone
  const restored = arrangement.filter((part) => part !== undefined)
  return isWhole && restored.length === arrangement.length ? restored : parts
}

/** Joins all texts of one type, then cuts the result at other lengths. */
class Cutter {
  readonly #type: 'text' | 'reasoning'
  readonly #parts: readonly Part[]
  readonly #text: string
  #at = 0
  #partIndex = 0

  constructor(type: 'text' | 'reasoning', parts: readonly Part[]) {
    this.#type = type
    this.#parts = parts.filter((part) => part.type === type)
    this.#text = this.#parts.map((part) => ('text' in part ? part.text : '')).join('')
  }

  get isDone(): boolean {
    return this.#at === this.#text.length
  }

  cut(length: number): Part | undefined {
    const text = this.#text.slice(this.#at, this.#at + length)
    if (text.length !== length) return undefined
    this.#at += length
    const part = this.#parts[this.#partIndex++]
    return part && 'text' in part && part.text === text ? part : { type: this.#type, text }
  }
}

/**
 * How to treat data that a format can't express. `keep` (default): write `offstage` fields, which can be read back but
 * which a vendor's API may refuse. `omit`: leave the data out. `refuse`: throw `invalid-history`.
 */
export type Extensions = 'keep' | 'omit' | 'refuse'

/** Options of `toOpenAI`, `toResponses` and `toAnthropic`. */
export interface ToHistoryOptions {
  /** Treatment of data that the format can't express. Default `'keep'`. Use `'omit'` for a vendor's API. */
  readonly extensions?: Extensions
}

type Fields = { readonly [name: string]: JsonValue | undefined }

/** Output format, and how to treat data that the format can't express. */
export interface Target {
  readonly format: HistoryFormat
  readonly extensions: Extensions
  /** Index of the message, for errors. */
  readonly index: number
}

/** Returns the defined fields as an `offstage` extension; an empty object if there are none. */
export function extension(
  { extensions, index }: Target,
  fields: Fields,
): { offstage?: JsonObject } {
  const defined = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  if (defined.length === 0 || extensions === 'omit') return {}
  if (extensions === 'keep') return { offstage: Object.fromEntries(defined) }
  const names = defined.map(([name]) => name).join(', ')
  throw invalidHistory(
    `messages[${index}]`,
    `has fields that the format lacks: ${names}. Pass extensions: 'keep' or 'omit'`,
  )
}

/** Returns the `foreign` fields that belong to other formats. */
export function otherForeign(foreign: Foreign | undefined, { format: shape }: Target): Fields {
  const { [shape]: _, ...otherFormats } = foreign ?? {}
  return { foreign: Object.keys(otherFormats).length > 0 ? otherFormats : undefined }
}

/** Writes a file as a text placeholder, with the file itself as an extension. */
export function filePlaceholder(
  { mediaType, data, filename, foreign }: FilePart,
  target: Target,
): { type: 'text'; text: string; offstage?: JsonObject } {
  return {
    ...foreign?.[target.format],
    type: 'text',
    text: `[file: ${filename ?? mediaType}]`,
    ...extension(target, {
      file: { mediaType, data, ...(filename !== undefined && { filename }) },
      ...otherForeign(foreign, target),
    }),
  }
}

/** Returns a single bare text block as a string, and any other list unchanged. */
export function unwrapSingleText<Block extends { readonly type: string }>(
  blocks: Block[],
): string | Block[] {
  const [first] = blocks
  if (blocks.length !== 1 || !first || !('text' in first)) return blocks
  const { text } = first
  return typeof text === 'string' && Object.keys(first).length === 2 ? text : blocks
}
