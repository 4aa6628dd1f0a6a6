import { OffstageError, type ErrorData } from '../../protocol/error.ts'
import type { ModelConfigData } from '../../protocol/model.ts'
import { watchPolicy } from '../../protocol/policy.ts'
import type { HttpRequest } from '../provider.ts'
import type { AbortScope } from './abort-scope.ts'
import { ownPolicyScope, policyError } from './policy-error.ts'
import { httpError } from './provider-error.ts'
import { withoutSecrets } from './secrets.ts'
import { networkError } from './transport-error.ts'

/** Characters of an error's body that are read. */
const MAX_ERROR_BODY = 64 * 1024

export interface OpenOptions {
  readonly fetch?: typeof fetch
  readonly credentials?: ModelConfigData['credentials']
}

/**
 * Sends the request, the only place that does, and resolves to a 2xx response or to what went wrong.
 * Redirects are refused, so that a key stays with the origin it was configured for.
 */
export async function openStream(
  request: HttpRequest,
  abortScope: AbortScope,
  options: OpenOptions,
): Promise<Response | ErrorData> {
  const url = parseUrl(request.url)
  const init: RequestInit = {
    method: 'POST',
    headers: buildHeaders(request),
    body: JSON.stringify(request.body),
    redirect: 'error',
    credentials: options.credentials ?? 'omit',
    signal: abortScope.signal,
  }
  const send = options.fetch ?? globalThis.fetch
  const watch = watchPolicy(url.href)
  let response: Response | undefined
  try {
    const sent = Promise.resolve(send(url.href, init))
    // A late answer to an ended request is closed.
    sent.then((late) => abortScope.failure() && late.body?.cancel()).catch(() => {})
    response = await abortScope.guard(sent)
  } catch (error) {
    // From a page that sends the requests: its error is already typed.
    if (OffstageError.is(error)) return abortScope.failure() ?? error.toData()
    const policy = abortScope.failure() ? undefined : await abortScope.guard(watch.refusedBy())
    return (
      abortScope.failure() ??
      (policy === undefined
        ? networkError(error, url)
        : policyError({ url, policy, scope: ownPolicyScope() }))
    )
  } finally {
    watch.stop()
  }
  if (!response) return abortScope.failure() ?? networkError('no response', url)
  if (response.ok) return response
  const body = await readErrorText(response, abortScope)
  return abortScope.failure() ?? httpError(response, body)
}

function parseUrl(url: string): URL {
  try {
    return new URL(url)
  } catch {
    throw new OffstageError(
      'invalid-config',
      `Not an absolute URL: ${withoutSecrets(url)}. Check the baseURL.`,
    )
  }
}

/** Only what is needed: every further header has to pass a CORS preflight. */
function buildHeaders(request: HttpRequest): Headers {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'text/event-stream',
  })
  for (const [name, value] of Object.entries(request.headers)) {
    try {
      headers.set(name, value)
    } catch {
      // The browser's message would quote the value, which may be the key.
      throw new OffstageError(
        'invalid-config',
        `The header ${name} has a value that HTTP does not allow (a line break or a non-Latin character in a key?).`,
      )
    }
  }
  return headers
}

async function readErrorText(response: Response, abortScope: AbortScope): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < MAX_ERROR_BODY) {
      const piece = await abortScope.guard(reader.read())
      if (!piece || piece.done) break
      text += decoder.decode(piece.value, { stream: true })
    }
  } catch {
    // A body that breaks off still leaves the status and what was read.
  }
  reader.cancel().catch(() => {})
  return text
}
