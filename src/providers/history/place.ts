import type { JsonObject } from '../../protocol/json.ts'
import type { Foreign } from '../../protocol/message.ts'
import { asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { invalidHistory } from './invalid-history.ts'
import { unreadField } from './kept-fields.ts'

/** A vendor's format that histories are read from and written in. */
export type Shape = keyof Foreign

/** Position in a history, for error messages, and the format there. */
export interface Place {
  /** `history[2]` */
  readonly at: string
  /** `content[0]`; empty for the message itself. */
  readonly field: string
  readonly shape: Shape
}

export function refuse({ at, field }: Place, problem: string): Error {
  return invalidHistory(at, problem, field)
}

/** Fields, and their position in the history. */
export interface Placed {
  readonly fields: JsonRecord
  readonly place: Place
}

export function placed(value: unknown, place: Place): Placed {
  const fields = asRecord(value)
  if (!fields) throw refuse(place, `has something that is no object`)
  return { fields, place }
}

/** Returns content as a list of blocks; plain text becomes one block. */
export function blocksOf(content: unknown, place: Place): Placed[] {
  if (typeof content === 'string') return [{ fields: { type: 'text', text: content }, place }]
  if (!Array.isArray(content)) throw refuse(place, 'has no content')
  const before = place.field && `${place.field}.`
  return content.map((block: unknown, index) =>
    placed(block, { ...place, field: `${before}content[${index}]` }),
  )
}

export function requireText({ fields, place }: Placed, name: string): string {
  const value = asText(fields[name])
  if (value === undefined) throw refuse(place, `has no ${name} where one must be`)
  return value
}

/** Returns the `offstage` extension: data that the format itself can't express (docs/histories.md). */
export function keptOf({ fields, place }: Placed): JsonRecord {
  const { offstage } = fields
  if (offstage === undefined) return {}
  const kept = asRecord(offstage)
  if (!kept) throw refuse(place, 'has an offstage field that is no object')
  const unread = unreadField(kept)
  if (unread !== undefined)
    throw refuse(place, `has an offstage field whose ${unread} can't be read`)
  return kept
}

/** Returns unknown fields, to be written back unchanged: all except those that were read. */
export function foreignOf(
  from: Placed,
  read: readonly string[],
  more: JsonObject = {},
): { readonly foreign?: Foreign } {
  const { fields, place } = from
  const isOwn = (name: string): boolean => name !== 'offstage' && !read.includes(name)
  const own: JsonObject = {
    ...asJson(Object.fromEntries(Object.entries(fields).filter(([name]) => isOwn(name)))),
    ...more,
  }
  const foreign = {
    ...readForeign(keptOf(from)['foreign']),
    ...(Object.keys(own).length > 0 && { [place.shape]: own }),
  }
  return Object.keys(foreign).length > 0 ? { foreign } : {}
}

export function readForeign(value: unknown): Foreign {
  return Object.fromEntries(
    Object.entries(asRecord(value) ?? {}).filter(
      ([name, fields]) => /^(?:openai|responses|anthropic)$/.test(name) && asRecord(fields),
    ),
  )
}

/** Safe cast: the record was parsed from JSON. */
export function asJson(record: JsonRecord): JsonObject {
  return record as JsonObject
}
