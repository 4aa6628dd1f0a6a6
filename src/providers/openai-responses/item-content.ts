import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart } from '../../protocol/message.ts'
import { asText, type JsonRecord } from '../core/read-json.ts'

/** The break between the texts of two messages of one answer. */
export const GAP = '\n\n'

/** The text of a part of a message's or a reasoning item's content. */
export function partText(part: JsonRecord | undefined): string {
  return asText(part?.['text']) ?? asText(part?.['refusal']) ?? ''
}

/** The items with the data of their pictures, which is in the message's files. */
export function withPictures(
  items: readonly JsonObject[],
  files: readonly FilePart[],
): JsonObject[] {
  const left = [...files]
  return items.map((item) =>
    isPicture(item) ? { ...item, result: left.shift()?.data ?? '' } : item,
  )
}

/** A picture whose data is in the message's file, where it is kept once. */
export function isPicture({ type, result }: JsonObject): boolean {
  return type === 'image_generation_call' && result === ''
}
