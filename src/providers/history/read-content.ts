import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart, TextPart } from '../../protocol/message.ts'
import { asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { fileKind } from './file-kinds.ts'
import { asJson, foreignOf, keptOf, refuse, requireText, type Placed } from './place.ts'

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
  return refuse(place, 'has a file that is somewhere else: only data in base64 can be taken')
}
