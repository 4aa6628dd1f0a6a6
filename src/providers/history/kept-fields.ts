import { isRecord } from '../../lib/is-record.ts'
import type { CallErrorCode } from '../../protocol/message.ts'
import type { JsonRecord } from '../core/read-json.ts'

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

const among =
  (texts: readonly string[]): Check =>
  (value) =>
    texts.some((text) => text === value)
export const isCallErrorCode: Check = among(Object.keys(CODES))
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
  ['output', among(['json', 'content', 'error', 'denied'])],
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
export function unreadField(kept: JsonRecord): string | undefined {
  return Object.keys(kept).find((name) => !(FIELDS.get(name)?.(kept[name]) ?? true))
}
