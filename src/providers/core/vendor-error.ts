import { asCount, asList, asRecord, asText, type JsonRecord } from './read-json.ts'

/** Most characters of the provider's message, and of each label, that an error keeps. */
export const MAX_MESSAGE = 2_000
const MAX_LABEL = 100

/** The provider's description of an error. */
export interface VendorError {
  readonly message: string
  /** `code` and `type` as sent, for classification. */
  readonly labels: readonly string[]
  /** Path of the request's field that caused the error, such as `messages.2.name`. */
  readonly field?: string
  /** HTTP status inside the body. */
  readonly status?: number
  /** Token counts that some servers add to an overflow. */
  readonly contextWindow?: number
  readonly promptTokens?: number
}

/**
 * The error in a JSON body or chunk, or undefined if there is none. Shapes: OpenAI and most others
 * `{ error: { message, type, code } }`; Anthropic the same with `type: 'error'`; Ollama `{ error: '…' }`;
 * vLLM `{ object: 'error', message }`; FastAPI `{ detail }`; OpenRouter `error.metadata.raw`; Gemini a
 * list of one; MiniMax `{ base_resp: { status_code, status_msg } }`; a message with a status of 400 or
 * more, `error: true` or `status: 'error'`.
 */
export function readVendorError(body: unknown): VendorError | undefined {
  const record = asRecord(Array.isArray(body) ? body[0] : body)
  if (!record) return undefined
  const error = unwrapped(record['error'])
  if (typeof error === 'string' && error !== '') return vendorError(error, record)
  const nested = asRecord(error)
  if (nested && Object.keys(nested).length > 0) return readNested(nested)
  const base = asRecord(record['base_resp'])
  if (base && asCount(base['status_code']) !== 0) {
    return vendorError(asText(base['status_msg']) ?? 'unknown error', { code: base['status_code'] })
  }
  if (record['object'] === 'error' || record['type'] === 'error') {
    return vendorError(messageOf(record) ?? 'unknown error', record)
  }
  const message = messageOf(record)
  if (message === undefined) return undefined
  const isError = error === true || record['status'] === 'error' || statusOf(record) !== undefined
  return isError ? vendorError(message, record) : undefined
}

/** Removes the lists and objects without a message that gateways wrap around an error. */
function unwrapped(error: unknown): unknown {
  let found = error
  for (let depth = 0; depth < 4; depth++) {
    const record = asRecord(found)
    const isBare = record !== undefined && messageOf(record) === undefined
    const inner: unknown = Array.isArray(found) ? found[0] : isBare ? record['error'] : undefined
    if (!inner) break
    found = inner
  }
  return found
}

/** The HTTP status, if it is a failure. */
function statusOf(source: JsonRecord): number | undefined {
  const status =
    asCount(source['status']) ?? asCount(source['status_code']) ?? asCount(source['code'])
  return status !== undefined && status >= 400 && status < 600 ? status : undefined
}

/** Like `readVendorError`, for a body that is known to be an error: accepts looser shapes, too. */
export function readErrorBody(body: unknown): VendorError | undefined {
  const known = readVendorError(body)
  if (known) return known
  const record = asRecord(body)
  const message = record && messageOf(record)
  return record && message !== undefined ? vendorError(message, record) : undefined
}

function readNested(error: JsonRecord): VendorError {
  const upstream = asText(asRecord(error['metadata'])?.['raw'])
  const message = messageOf(error) ?? JSON.stringify(error)
  return vendorError(upstream === undefined ? message : `${message}: ${upstream}`, error)
}

function messageOf(record: JsonRecord): string | undefined {
  const { message, msg, detail, error_msg: errorMsg, error_message: long } = record
  const { text: erring } = record['error_code'] === undefined ? {} : record
  for (const words of [message, msg, detail, errorMsg, long, erring]) {
    const inner = asRecord(words)
    const text = asText(words) ?? asText(inner?.['message']) ?? asText(inner?.['msg'])
    if (text !== undefined) return text
  }
  const texts = entriesOf(record).map((entry) => {
    const { loc, ...rest } = asRecord(entry) ?? {}
    const said = asText(entry) ?? messageOf(rest)
    const path = pathOf(loc)
    return path === undefined ? said : `${path}: ${said ?? 'refused'}`
  })
  return asText(texts.filter((text) => text !== undefined).join('; '))
}

/** A list of errors: `errors`, or FastAPI's `detail`, which Mistral puts into `message`. */
function entriesOf({ message, detail, errors }: JsonRecord): readonly unknown[] {
  const inner = asRecord(message)?.['detail']
  return asList([detail, message, inner, errors].find(Array.isArray))
}

/** Converts a pydantic path, such as `["body", "messages", 2, "name"]`. */
function pathOf(loc: unknown): string | undefined {
  return asText(
    asList(loc)
      .filter((name) => name !== 'body')
      .join('.'),
  )
}

/** The field from OpenAI's `param` or pydantic's `loc`. */
function fieldOf(record: JsonRecord): string | undefined {
  const [first] = entriesOf(record)
  return asText(record['param']) ?? pathOf(asRecord(first)?.['loc'])
}

function vendorError(words: string, source: JsonRecord): VendorError {
  const message = words.slice(0, MAX_MESSAGE)
  const labels = [source['code'], source['type']].flatMap((label) =>
    typeof label === 'string' || typeof label === 'number'
      ? [String(label).slice(0, MAX_LABEL)]
      : [],
  )
  const status = statusOf(source)
  const field = fieldOf(source)?.slice(0, MAX_LABEL)
  const contextWindow = asCount(source['n_ctx']) ?? readNumber(message, CONTEXT_WINDOW)
  const promptTokens = asCount(source['n_prompt_tokens'])
  return {
    message,
    labels,
    ...(status !== undefined && { status }),
    ...(field !== undefined && { field }),
    ...(contextWindow !== undefined && { contextWindow }),
    ...(promptTokens !== undefined && { promptTokens }),
  }
}

const CONTEXT_WINDOW =
  /maximum (?:context length|prompt length|allowed input length) (?:is|of) (\d+)/i

function readNumber(text: string, pattern: RegExp): number | undefined {
  return asCount(pattern.exec(text)?.[1])
}
