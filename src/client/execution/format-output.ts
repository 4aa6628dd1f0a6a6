import { describeThrown } from '../../protocol/error.ts'
import type { CallErrorCode, ToolOutput } from '../../protocol/message.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { loadPart } from '../api/load-part.ts'
import { isRecord } from '../../lib/shape.ts'
import type { StandardIssue } from '../tools/standard-schema.ts'

/** Maximum nesting of JSON in a stored row. */
const MAX_LEVELS = 100

/**
 * Converts any value from a page to JSON. Cycles, big integers, maps, errors, binary data and DOM nodes get a readable
 * form. Returns undefined for a function or symbol. Throws if a `toJSON` throws, or the value has over 100 levels.
 * `replaceValue` returns the text that replaces a value.
 */
export function stringify(
  value: unknown,
  replaceValue: (raw: unknown) => string | false = () => false,
): string | undefined {
  const parents: unknown[] = []
  return JSON.stringify(value, function (this: unknown, _key, raw: unknown) {
    const text = replaceValue(raw)
    if (text !== false) return text
    if (typeof raw === 'bigint') return String(raw)
    if (typeof raw !== 'object' || raw === null) return raw
    while (parents.length && parents.at(-1) !== this) parents.pop()
    if (parents.includes(raw)) return '[Circular]'
    if (parents.length === MAX_LEVELS) throw new RangeError('it is nested too deeply')
    const item = toReadable(raw)
    parents.push(item)
    return item
  })
}

function toReadable(raw: object): unknown {
  const tag = tagOf(raw)
  if (tag === 'Error') return { name: (raw as Error).name, message: (raw as Error).message }
  if (tag === 'Map') return Object.fromEntries(raw as Map<PropertyKey, unknown>)
  if (tag === 'Set') return [...(raw as Set<unknown>)]
  if (/^(Int|Uint16|Uint32|Float|Big)\w*Array$/.test(tag)) return Array.from(raw as Float64Array)
  return 'nodeType' in raw || 'byteLength' in raw || tag === 'Blob' || tag === 'File'
    ? `[${tag}]`
    : raw
}

/** The value's built-in tag, such as `Map`. Unlike `instanceof`, the tag works across frames. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

const PLATFORM_TAGS =
  /^(Blob|File|ImageBitmap|HTMLCanvasElement|OffscreenCanvas|(Shared)?ArrayBuffer|DataView|Uint8(Clamped)?Array)$/
const DATA_URL = /^data:[\w.+-]+\/[^,]+;base64,/
const ENCODED_TYPES = /^(image|audio|file|media|file-data|image-data|base64)$/

/**
 * A base64 file: a content part of MCP (`mimeType`), Anthropic (`media_type`), the AI SDK or Offstage (`mediaType`),
 * or an MCP resource (`blob`).
 */
interface EncodedFile {
  readonly data?: string
  readonly blob?: string
  readonly mimeType?: string
  readonly media_type?: string
  readonly mediaType?: string
  readonly filename?: string
}

/** Whether a value is a file: a platform object such as `Blob`, bytes, a base64 data URL, or base64 with its type. */
export function isFileLike(value: unknown): boolean {
  return typeof value === 'string'
    ? DATA_URL.test(value)
    : PLATFORM_TAGS.test(tagOf(value)) || isEncodedFile(value)
}

export function isEncodedFile(value: unknown): value is EncodedFile {
  if (!isRecord(value)) return false
  const { type, data, blob, mimeType, media_type = mimeType, mediaType = media_type } = value
  const isFile =
    typeof blob === 'string' || (typeof data === 'string' && ENCODED_TYPES.test(String(type)))
  return isFile && typeof mediaType === 'string'
}

/** Formats issues, each on a line: `items.0.sku: Required`. */
export function describeIssues(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ path, message }) => {
      const keys = path?.map((step) => String(typeof step === 'object' ? step.key : step))
      return keys?.length ? `${keys.join('.')}: ${message}` : message
    })
    .join('\n')
}

const MAX_CHARACTERS = 100_000

export function errorOutput(code: CallErrorCode, message: string): ToolOutput {
  return { type: 'error', code, message: truncate(message) }
}

/**
 * Converts a tool's result, or a promise of it, to the output for the model. Never rejects: a result that can't be sent
 * becomes an error output.
 */
export async function formatOutput(result: unknown): Promise<ToolOutput> {
  try {
    const value = await result
    if (value === undefined) return { type: 'text', value: 'Done. The tool returned nothing.' }
    let isContent = Array.isArray((value as { readonly content?: unknown } | null)?.content)
    const replaceFile = (raw: unknown): string | false => {
      if (!isFileLike(raw)) return false
      isContent = true
      return ''
    }
    // `{}` for values without own fields: functions, symbols and built-in objects such as a `Response`.
    const json = stringify(value, replaceFile) ?? '{}'
    if (isContent) {
      const content = await (await loadPart(() => import('./file-output.ts'))).contentOutput(value)
      if (content) return content
    }
    if (typeof value === 'string') return { type: 'text', value: truncate(value) }
    if (json === '{}' && !/^(Object|Storage|\w*Map)$/.test(tagOf(value)))
      return errorOutput(
        'failed',
        `The tool ran, but a ${tagOf(value)} can't be sent to a model. Return plain data.`,
      )
    return json.length > MAX_CHARACTERS
      ? { type: 'text', value: truncate(json) }
      : { type: 'json', value: JSON.parse(json) as JsonValue }
  } catch (thrown) {
    return errorOutput('failed', `The tool's result can't be sent: ${describeThrown(thrown)}`)
  }
}

/** Cuts a text that is too long, and adds a note with its full length. */
export function truncate(text: string): string {
  return text.length > MAX_CHARACTERS
    ? `${text.slice(0, MAX_CHARACTERS)}\n[truncated: these are the first ${MAX_CHARACTERS} of ${text.length} characters]`
    : text
}
