import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart } from '../../protocol/message.ts'
import { asText, type JsonRecord } from '../core/read-json.ts'

/** Separates the texts of two messages in one answer. */
export const GAP = '\n\n'

/** Text of a content part of a message or reasoning item. */
export function partText(part: JsonRecord | undefined): string {
  return asText(part?.['text']) ?? asText(part?.['refusal']) ?? ''
}

/** Restores the items' picture data from the message's files. */
export function withPictures(
  items: readonly JsonObject[],
  files: readonly FilePart[],
): JsonObject[] {
  const remaining = [...files]
  return items.map((item) =>
    isPicture(item) ? { ...item, result: remaining.shift()?.data ?? '' } : item,
  )
}

/** Whether the item is a picture without data: the data is stored only in the message's file. */
export function isPicture({ type, result }: JsonObject): boolean {
  return type === 'image_generation_call' && result === ''
}
