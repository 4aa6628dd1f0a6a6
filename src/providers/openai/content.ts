import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart, TextPart } from '../../protocol/message.ts'

/** A user message's content: plain text where that is enough, since not every server reads parts. */
export function userContent(parts: readonly (TextPart | FilePart)[]): string | JsonObject[] {
  const texts = parts.filter((part) => part.type === 'text')
  if (texts.length === parts.length) return texts.map((part) => part.text).join('\n')
  return parts.map((part) =>
    part.type === 'text' ? { type: 'text', text: part.text } : fileContent(part),
  )
}

/** An attachment in the form of Chat Completions: images, audio, and other files as documents. */
export function fileContent({ mediaType, data, filename }: FilePart): JsonObject {
  const url = `data:${mediaType};base64,${data}`
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  if (mediaType.startsWith('audio/')) {
    const format = mediaType.includes('wav') ? 'wav' : 'mp3'
    return { type: 'input_audio', input_audio: { data, format } }
  }
  return { type: 'file', file: { filename: filename ?? 'file', file_data: url } }
}

/** Two contents as one. */
export function joinContent(
  first: string | readonly JsonObject[],
  second: string | readonly JsonObject[],
): string | JsonObject[] {
  if (typeof first === 'string' && typeof second === 'string') {
    return [first, second].filter((text) => text !== '').join('\n\n')
  }
  return [...asParts(first), ...asParts(second)]
}

function asParts(content: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}
