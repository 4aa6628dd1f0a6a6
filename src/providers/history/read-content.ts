import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  CallErrorCode,
  FilePart,
  TextPart,
  ToolOutput,
  ToolResultPart,
} from '../../protocol/message.ts'
import { asRecord, asText, type JsonRecord, parseJson } from '../core/read-json.ts'
import {
  asJson,
  blocksOf,
  foreignOf,
  keptOf,
  type Placed,
  refuse,
  requireText,
  type Shape,
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
  return [...AUDIO].find(([known]) => known === mediaType)?.[1]
}

/** Returns the block type for a file of this media type; undefined if the format has none. */
export function fileKind(shape: Shape, mediaType: string): string | undefined {
  if (shape === 'anthropic') {
    if (isImageType(mediaType)) return 'image'
    return mediaType === 'application/pdf' ? 'document' : undefined
  }
  if (mediaType.startsWith('image/')) return 'image_url'
  return audioFormat(mediaType) ? 'input_audio' : 'file'
}

/** Start of a denied call's result. */
export const DENIED = 'Denied by the person.'
export const DENIED_WHY = 'Denied by the person: '

/** Start of a failed call's result, for formats that can't mark errors. */
export function errorWords(code: string): string {
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
  const { note } = keptOf(result)
  const isMarked = idField === 'tool_use_id'
  const { output, isWhole } = readOutput(result, isMarked)
  const read = ['role', 'type', idField, ...(isWhole ? ['content'] : [])]
  return {
    type: 'tool-result',
    toolCallId: requireText(result, idField),
    toolName: '',
    output,
    ...(typeof note === 'string' && { note }),
    ...foreignOf(result, fields['is_error'] === true ? [...read, 'is_error'] : read),
  }
}

interface ReadOutput {
  readonly output: ToolOutput
  /** The output holds all of the content. */
  readonly isWhole: boolean
}

function readOutput(result: Placed, isMarked: boolean): ReadOutput {
  const { fields, place } = result
  const content = fields['content'] ?? ''
  const parts = blocksOf(content, place).map(readContent)
  const text = textOf(parts)
  const [first] = parts
  const isText = parts.length === 1 && first?.type === 'text' && !first.foreign
  const kept = keptOf(result)
  const isError = fields['is_error'] === true
  const special = keptOutput(kept, text, isMarked)
  if (special) return { output: special, isWhole: isText }
  if (kept['output'] === 'content')
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
    const place = { at: 'content', field: '', shape: 'anthropic' } as const
    return textOf(blocksOf(content, place).map(readContent))
  } catch {
    return undefined
  }
}

function textOf(parts: readonly (TextPart | FilePart)[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}

/** Returns the output that the `offstage` extension declares this text to be; undefined without one. */
function keptOutput(
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
      const known = (code ?? 'failed') as CallErrorCode
      const message = isMarked ? text : without(text, errorWords(known))
      return { type: 'error', code: known, message }
    }
    case 'denied':
      if (text === DENIED) return { type: 'denied' }
      return { type: 'denied', reason: without(text, DENIED_WHY) }
    default:
      return undefined
  }
}

function without(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}

/** Reads text or a file from a content part of Chat Completions or a block of Anthropic's Messages. */
export function readContent(block: Placed): TextPart | FilePart {
  const { fields } = block
  switch (fields['type']) {
    case 'image_url':
      return inData(block, { name: 'image_url', data: 'url' })
    case 'file':
      return inData(block, { name: 'file', data: 'file_data' })
    case 'input_audio':
      return audio(block)
    case 'image':
    case 'document':
      return document(block)
    default:
      return keptFile(block) ?? readText(block)
  }
}

export function readText(block: Placed): TextPart {
  const { fields, place } = block
  const { type, text } = fields
  if (type !== 'text' || typeof text !== 'string')
    throw refuse(place, `has content of the type ${JSON.stringify(type)}, which can't be read`)
  return { type: 'text', text, ...foreignOf(block, ['type', 'text']) }
}

/** Restores a file that the format has no block for: a text block stands in its place. */
function keptFile(block: Placed): FilePart | undefined {
  const file = asRecord(keptOf(block)['file'])
  if (!file) return undefined
  const { mediaType, data, filename } = file as unknown as FilePart
  return {
    type: 'file',
    mediaType,
    data,
    ...(filename !== undefined && { filename }),
    ...foreignOf(block, ['type', 'text']),
  }
}

/** Reads a file from a nested object with a data URL. */
function inData(
  block: Placed,
  { name, data: urlField }: { readonly name: string; readonly data: string },
): FilePart {
  const inner = asRecord(block.fields[name]) ?? {}
  const [, mediaType = '', data = ''] =
    /^data:([^,]+?);base64,(.+)$/s.exec(asText(inner[urlField]) ?? '') ?? []
  if (data === '') throw elsewhere(block)
  const filename = inner['filename'] ?? keptOf(block)['filename']
  const read = ['type', name]
  const rest = unread(inner, name === 'file' ? [urlField, 'filename'] : [urlField])
  return {
    type: 'file',
    mediaType,
    data,
    ...(typeof filename === 'string' && { filename }),
    ...foreignOf(block, read, {
      ...(Object.keys(rest).length > 0 && { [name]: rest }),
      ...(fileKind('openai', mediaType) !== name && { type: name }),
    }),
  }
}

function audio(block: Placed): FilePart {
  const { fields, place } = block
  const inner = { fields: asRecord(fields['input_audio']) ?? {}, place }
  const format = requireText(inner, 'format')
  const { filename } = keptOf(block)
  const rest = unread(inner.fields, ['data', 'format'])
  return {
    type: 'file',
    mediaType: `audio/${format === 'mp3' ? 'mpeg' : format}`,
    data: requireText(inner, 'data'),
    ...(typeof filename === 'string' && { filename }),
    ...foreignOf(
      block,
      ['type', 'input_audio'],
      Object.keys(rest).length > 0 ? { input_audio: rest } : {},
    ),
  }
}

/** Reads an image or a document. A plain-text document becomes text, and its foreign fields keep its origin. */
function document(block: Placed): TextPart | FilePart {
  const { fields, place } = block
  const type = requireText(block, 'type')
  const source = { fields: asRecord(fields['source']) ?? {}, place }
  if (source.fields['type'] === 'text') {
    const rest = unread(source.fields, ['data'])
    const more = { type, source: rest }
    return {
      type: 'text',
      text: requireText(source, 'data'),
      ...foreignOf(block, ['source'], more),
    }
  }
  if (source.fields['type'] !== 'base64') throw elsewhere(block)
  const mediaType = requireText(source, 'media_type')
  const { title } = fields
  const isNamed = type === 'document' && typeof title === 'string'
  const filename = isNamed ? title : keptOf(block)['filename']
  return {
    type: 'file',
    mediaType,
    data: requireText(source, 'data'),
    ...(typeof filename === 'string' && { filename }),
    ...foreignOf(
      block,
      isNamed ? ['type', 'source', 'title'] : ['type', 'source'],
      fileKind('anthropic', mediaType) === type ? {} : { type },
    ),
  }
}

function unread(fields: JsonRecord, read: readonly string[]): JsonObject {
  return asJson(Object.fromEntries(Object.entries(fields).filter(([name]) => !read.includes(name))))
}

function elsewhere({ place }: Placed): Error {
  return refuse(place, 'refers to a file: only base64 data can be imported')
}
