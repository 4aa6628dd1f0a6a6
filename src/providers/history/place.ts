import type { JsonObject } from '../../protocol/json.ts'
import type { CallErrorCode, Foreign } from '../../protocol/message.ts'
import { asRecord, asText, type JsonRecord } from '../core/read-json.ts'
import { isRecord } from '../../lib/is-record.ts'
import { OffstageError } from '../../protocol/error.ts'

/** Error that names the message (`history[2]`) and, if known, its field (`content[0]`). */
export function invalidHistory(at: string, problem: string, field = ''): OffstageError {
  return new OffstageError('invalid-history', `${at} ${problem}${field && ` (${field})`}.`)
}

const CODES: { readonly [Code in CallErrorCode]: true } = {
  malformed: true,
  unknown_tool: true,
  invalid_params: true,
  denied: true,
  failed: true,
  timeout: true,
  interrupted: true,
  truncated: true,
  'invalid-json': true,
  aborted: true,
  'workflow-changed': true,
  'not-kept': true,
}

type Check = (value: unknown) => boolean

const isOneOf =
  (texts: readonly string[]): Check =>
  (value) =>
    texts.some((text) => text === value)
export const isCallErrorCode: Check = isOneOf(Object.keys(CODES))
const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'

const isOrder: Check = (value) =>
  Array.isArray(value) &&
  value.every((entry) => isText(entry) && /^(?:[tr]\d{1,9}|[cf])$/.test(entry))
const isByName: Check = (value) => isRecord(value) && Object.values(value).every(isRecord)

function hasTexts(value: unknown, names: readonly string[], optional: string): value is JsonRecord {
  if (!isRecord(value)) return false
  const { [optional]: more = '' } = value
  return isText(more) && names.every((name) => isText(value[name]))
}

/** Fields of `offstage`, as documented in docs/histories.md. */
const FIELDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['output', isOneOf(['json', 'content', 'error', 'denied'])],
  ['code', isCallErrorCode],
  ['note', isText],
  ['file', (value) => hasTexts(value, ['mediaType', 'data'], 'filename')],
  ['filename', isText],
  ['input', (value) => value !== undefined],
  [
    'error',
    (value) => hasTexts(value, ['code', 'message'], 'suggestion') && isCallErrorCode(value['code']),
  ],
  ['rawInput', isText],
  ['providerCallId', isText],
  ['rescued', isFlag],
  ['reasoning', isText],
  ['order', isOrder],
  ['actionText', isText],
  ['partial', isFlag],
  ['providerMetadata', isByName],
  ['synthetic', isFlag],
  ['foreign', isByName],
])

/** The first invalid field. Unknown names are ignored. */
function findInvalidField(extension: JsonRecord): string | undefined {
  return Object.keys(extension).find((name) => !(FIELDS.get(name)?.(extension[name]) ?? true))
}

/** A vendor's format, for reading and writing histories. */
export type HistoryFormat = keyof Foreign

/** Position in a history, for error messages, and the format there. */
export interface Place {
  /** Message, such as `history[2]`. */
  readonly at: string
  /** Field, such as `content[0]`; empty for the message itself. */
  readonly field: string
  readonly format: HistoryFormat
}

export function historyErrorAt({ at, field }: Place, problem: string): Error {
  return invalidHistory(at, problem, field)
}

/** Fields, and their position in the history. */
export interface Placed {
  readonly fields: JsonRecord
  readonly place: Place
}

export function placed(value: unknown, place: Place): Placed {
  const fields = asRecord(value)
  if (!fields) throw historyErrorAt(place, `has something that is no object`)
  return { fields, place }
}

/** Returns content as a list of blocks; plain text becomes one block. */
export function toBlocks(content: unknown, place: Place): Placed[] {
  if (typeof content === 'string') return [{ fields: { type: 'text', text: content }, place }]
  if (!Array.isArray(content)) throw historyErrorAt(place, 'has no content')
  const prefix = place.field && `${place.field}.`
  return content.map((block: unknown, index) =>
    placed(block, { ...place, field: `${prefix}content[${index}]` }),
  )
}

export function requireText({ fields, place }: Placed, name: string): string {
  const value = asText(fields[name])
  if (value === undefined) throw historyErrorAt(place, `lacks the required ${name}`)
  return value
}

/** Returns the `offstage` extension: data that the vendor's format can't express (docs/histories.md). */
export function readExtension({ fields, place }: Placed): JsonRecord {
  const { offstage } = fields
  if (offstage === undefined) return {}
  const extension = asRecord(offstage)
  if (!extension) throw historyErrorAt(place, 'has an offstage field that is no object')
  const invalidField = findInvalidField(extension)
  if (invalidField !== undefined)
    throw historyErrorAt(place, `has an offstage field whose ${invalidField} can't be read`)
  return extension
}

/** Returns unknown fields, to be written back unchanged. Unknown are all fields that weren't read. */
export function collectForeign(
  source: Placed,
  readFields: readonly string[],
  more: JsonObject = {},
): { readonly foreign?: Foreign } {
  const { fields, place } = source
  const isOwn = (name: string): boolean => name !== 'offstage' && !readFields.includes(name)
  const ownFields: JsonObject = {
    ...asJson(Object.fromEntries(Object.entries(fields).filter(([name]) => isOwn(name)))),
    ...more,
  }
  const foreign = {
    ...readForeignFields(readExtension(source)['foreign']),
    ...(Object.keys(ownFields).length > 0 && { [place.format]: ownFields }),
  }
  return Object.keys(foreign).length > 0 ? { foreign } : {}
}

export function readForeignFields(value: unknown): Foreign {
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
