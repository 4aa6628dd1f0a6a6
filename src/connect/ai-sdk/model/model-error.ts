import {
  describeThrown,
  OffstageError,
  toErrorData,
  type ErrorCode,
  type ErrorData,
} from '../../../protocol/error.ts'
import {
  httpError,
  incompleteError,
  networkError,
  streamError,
} from '../../../providers/core/provider-error.ts'
import { asCount, asRecord, asText, type JsonRecord } from '../../../providers/core/read-json.ts'
import { parseURL } from '../../../providers/core/secrets.ts'

/** The AI SDK's errors by name, because classes of several versions may be loaded. The first match decides. */
const codes: readonly (readonly [ErrorCode, RegExp])[] = [
  ['authentication', /^AI_LoadAPIKey/],
  ['invalid-config', /^AI_LoadSetting/],
  ['model-not-found', /^AI_NoSuchModel/],
  ['bad-request', /^AI_(InvalidArgument|InvalidPrompt|UnsupportedFunctionality)/],
  // The answer could not be read.
  ['bad-response', /^AI_/],
]

/** Converts an error that a model threw or sent in its stream. */
export function modelError(thrown: unknown): ErrorData {
  if (OffstageError.is(thrown)) return thrown.toData()
  const error = asRecord(thrown)
  const name = asText(error?.['name']) ?? ''
  if (error && name === 'AI_APICallError') return callError(error, thrown)
  const [code] = codes.find(([, names]) => names.test(name)) ?? []
  if (code) return { code, message: describeThrown(thrown), retryable: code === 'bad-response' }
  return vendorError(thrown) ?? toErrorData(thrown)
}

/** Converts the error of a stream that broke off. */
export function brokenStream(thrown: unknown): ErrorData {
  const error = modelError(thrown)
  return error.code === 'internal' ? incompleteError(thrown) : error
}

function callError(error: JsonRecord, thrown: unknown): ErrorData {
  const status = asCount(error['statusCode'])
  if (status === undefined || status < 200 || status > 599) {
    const url = parseURL(String(error['url']))
    if (url) return networkError(error['cause'] ?? thrown, url)
    return { code: 'network', message: describeThrown(thrown), retryable: true }
  }
  if (status < 400) {
    const { cause } = error
    // A `TypeError` means that the connection broke. Errors from parsing have an AI SDK name.
    if (asRecord(cause)?.['name'] === 'TypeError') return incompleteError(cause)
    return { code: 'bad-response', message: describeThrown(thrown), retryable: true }
  }
  const headers = (asRecord(error['responseHeaders']) ?? {}) as Record<string, string>
  const body = asText(error['responseBody']) ?? describeThrown(thrown)
  return httpError(new Response(null, { status, headers }), body)
}

/** Converts a vendor's own error, text or object, which some models pass on unchanged. */
function vendorError(thrown: unknown): ErrorData | undefined {
  if (thrown instanceof Error) return undefined
  return streamError({ error: thrown }) ?? streamError(thrown)
}
