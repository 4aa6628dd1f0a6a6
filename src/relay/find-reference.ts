import { isRecord } from '../lib/shape.ts'
import type { Body } from './wire-format.ts'

/** Fields of a content part that hold a file, or say where it is. */
const HOLDERS = ['image_url', 'video_url', 'audio_url', 'file_url', 'source', 'file', 'audio']

/**
 * The first thing in a body that stands for data elsewhere: an id of what is stored at the vendor, which anybody with the
 * same key can read, or an address, which the model's server would fetch from where it is.
 */
export function findReference(body: Body): string | undefined {
  return partsOf(body)
    .map(referenceIn)
    .find((found) => found !== undefined)
}

/** Messages, items and their content at any depth, but not what tools were called with. */
function partsOf(body: Body): Body[] {
  const parts: Body[] = []
  const add = (list: unknown): void => {
    if (Array.isArray(list)) for (const part of list) if (isRecord(part)) parts.push(part)
  }
  for (const list of [body['messages'], body['input'], body['system']]) add(list)
  // No recursion: a body may be nested deeper than the call stack. The list grows as it is walked through.
  for (const { content, output, source } of parts) {
    add(content)
    add(output)
    if (isRecord(source)) add(source['content'])
  }
  return parts
}

function referenceIn(part: Body): string | undefined {
  if (part['type'] === 'item_reference') return 'item_reference'
  // Responses: the `type` of an item_reference may be left out.
  if (part['id'] !== undefined && !part['type'] && !part['role']) return 'id'
  if (part['file_id'] !== undefined) return 'file_id'
  for (const name of HOLDERS) {
    const held = part[name]
    const inner: Body = isRecord(held) ? held : { url: name.endsWith('_url') ? held : undefined }
    if (inner['file_id'] !== undefined) return 'file_id'
    if (name === 'audio' && inner['id'] !== undefined) return 'audio.id'
    const { url } = inner
    if (url !== undefined && !(typeof url === 'string' && /^data:/i.test(url))) return name
  }
  return undefined
}
