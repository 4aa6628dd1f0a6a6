import {
  among,
  amongAll,
  isFlag,
  isRecord,
  isText,
  isThere,
  listOf,
  optional,
  shape,
  type Check,
} from '../../lib/shape.ts'
import type { CallErrorCode } from '../../protocol/message.ts'
import type { JsonRecord } from '../core/read-json.ts'

export const isCallErrorCode: Check = amongAll<CallErrorCode>({
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
})

const isOrder = listOf((entry) => typeof entry === 'string' && /^(?:[tr]\d{1,9}|[cf])$/.test(entry))
const isByName: Check = (value) => isRecord(value) && Object.values(value).every(isRecord)

/** The fields of `offstage` in docs/histories.md. */
const FIELDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['output', among(['json', 'content', 'error', 'denied'])],
  ['code', isCallErrorCode],
  ['note', isText],
  ['file', shape({ mediaType: isText, data: isText, filename: optional(isText) })],
  ['filename', isText],
  ['input', isThere],
  ['error', shape({ code: isCallErrorCode, message: isText, suggestion: optional(isText) })],
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

/** The first field that can't be read. Names that aren't known say nothing. */
export function unreadField(kept: JsonRecord): string | undefined {
  return Object.keys(kept).find((name) => !(FIELDS.get(name)?.(kept[name]) ?? true))
}
