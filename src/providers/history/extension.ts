import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { FilePart, Foreign } from '../../protocol/message.ts'
import { invalidHistory } from './invalid-history.ts'
import type { Shape } from './place.ts'

/**
 * How to treat data that a format can't express. `keep` (default): write it to `offstage` fields, which are read
 * back, but which a vendor's API may refuse. `omit`: leave it out. `refuse`: throw `invalid-history`.
 */
export type Extensions = 'keep' | 'omit' | 'refuse'

export interface ToHistoryOptions {
  readonly extensions?: Extensions
}

type Fields = { readonly [name: string]: JsonValue | undefined }

/** Output format, and how to treat data that it can't express. */
export interface Target {
  readonly shape: Shape
  readonly extensions: Extensions
  /** Index of the message, for errors. */
  readonly index: number
}

/** Returns the defined fields as an `offstage` extension; an empty object if there are none. */
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

/** Returns the `foreign` fields that belong to other formats. */
export function otherForeign(foreign: Foreign | undefined, { shape }: Target): Fields {
  const { [shape]: _, ...others } = foreign ?? {}
  return { foreign: Object.keys(others).length > 0 ? others : undefined }
}

/** Writes a file as a text placeholder, with the file itself as an extension. */
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

/** Returns a single bare text block as a string, and any other list unchanged. */
export function contentOf<Block extends { readonly type: string }>(
  blocks: Block[],
): string | Block[] {
  const [first] = blocks
  if (blocks.length !== 1 || !first || !('text' in first)) return blocks
  const { text } = first
  return typeof text === 'string' && Object.keys(first).length === 2 ? text : blocks
}
