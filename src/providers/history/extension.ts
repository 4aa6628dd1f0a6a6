import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { FilePart, Foreign } from '../../protocol/message.ts'
import { invalidHistory } from './invalid-history.ts'
import type { Shape } from './place.ts'

/**
 * What becomes of what a format can't say. `keep` (default): it is in fields `offstage`, which are read back, and
 * which a vendor's API may refuse. `omit`: it is left out. `refuse`: it throws `invalid-history`.
 */
export type Extensions = 'keep' | 'omit' | 'refuse'

export interface ToHistoryOptions {
  readonly extensions?: Extensions
}

type Fields = { readonly [name: string]: JsonValue | undefined }

/** Where something is written, and what becomes of what can't be. */
export interface Target {
  readonly shape: Shape
  readonly extensions: Extensions
  /** The message's index. */
  readonly index: number
}

/** The fields that there are as an extension; nothing when there are none. */
export function extension(
  { extensions, index }: Target,
  fields: Fields,
): { offstage?: JsonObject } {
  const kept = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  if (kept.length === 0 || extensions === 'omit') return {}
  if (extensions === 'keep') return { offstage: Object.fromEntries(kept) }
  const names = kept.map(([name]) => name).join(', ')
  throw invalidHistory(
    `messages[${index}]`,
    `has what the format has no place for: ${names}. Pass extensions: 'keep' or 'omit'`,
  )
}

/** The foreign fields of the other formats. */
export function otherForeign(foreign: Foreign | undefined, { shape }: Target): Fields {
  const { [shape]: _, ...others } = foreign ?? {}
  return { foreign: Object.keys(others).length > 0 ? others : undefined }
}

/** Words in place of a file, and the file as an extension. */
export function fileWords(
  { mediaType, data, filename, foreign }: FilePart,
  target: Target,
): { type: 'text'; text: string; offstage?: JsonObject } {
  return {
    ...foreign?.[target.shape],
    type: 'text',
    text: `[file: ${filename ?? mediaType}]`,
    ...extension(target, {
      file: { mediaType, data, ...(filename !== undefined && { filename }) },
      ...otherForeign(foreign, target),
    }),
  }
}

/** A list that is nothing but one text is that text. */
export function contentOf<Block extends { readonly type: string }>(
  blocks: Block[],
): string | Block[] {
  const [first] = blocks
  if (blocks.length !== 1 || !first || !('text' in first)) return blocks
  const { text } = first
  return typeof text === 'string' && Object.keys(first).length === 2 ? text : blocks
}
