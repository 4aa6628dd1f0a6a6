import { Redactor } from '../lib/redactor.ts'
import type { Ending, Meter } from './meter.ts'
import type { RelaySettings } from './options.ts'
import { RelayError } from './relay-error.ts'
import type { WireFormat } from './wire-format.ts'

/** Maximum characters of an error that are read. */
const MAX_ERROR = 64 * 1024

/** Headers of the model's server that the page gets. */
const PASSED_HEADERS = /^(retry-after(-ms)?|(x|anthropic)-ratelimit-.+)$/

/** Headers that keep proxies from buffering or compressing the stream. */
const COMMON = {
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
}

export interface UpstreamCall {
  readonly format: WireFormat
  readonly settings: RelaySettings
  readonly body: string
  readonly signal: AbortSignal
}

export interface UpstreamAnswer {
  readonly response: Response
  /** Removes what the page must not see. */
  readonly redactor: Redactor
}

/** Sends a call. Throws a `RelayError` if the model's server can't be reached or redirects. */
export async function sendUpstream(
  request: Request,
  { format, settings, body, signal }: UpstreamCall,
): Promise<UpstreamAnswer> {
  const apiKey = typeof settings.apiKey === 'function' ? await settings.apiKey() : settings.apiKey
  const headers = headersFor(request, { format, settings, apiKey })
  const send = settings.fetch ?? fetch
  try {
    // Cloudflare's Workers don't support `error`.
    const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
    const response = await send(addressOf(settings.upstream, format), init)
    const { status, type } = response
    if (type !== 'opaqueredirect' && (status < 300 || status > 399))
      return { response, redactor: redactorFor(headers, settings.upstream) }
    await response.body?.cancel()
    throw new Error('The server redirects. Check `baseURL`.')
  } catch (cause) {
    throw new RelayError('server_error', "The relay could not reach the model's server.", { cause })
  }
}

interface HeaderSources extends Pick<UpstreamCall, 'format' | 'settings'> {
  readonly apiKey: string | undefined
}

/** Builds the headers from scratch. Settings of the server replace headers from the page. */
function headersFor(request: Request, { format, settings, apiKey }: HeaderSources): Headers {
  const isMessages = format.api === 'messages'
  const headers = new Headers({ 'content-type': 'application/json' })
  if (isMessages) headers.set('anthropic-version', '2023-06-01')
  for (const name of settings.passHeaders) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  if (apiKey && isMessages) headers.set('x-api-key', apiKey)
  else if (apiKey) headers.set('authorization', `Bearer ${apiKey}`)
  for (const [name, value] of Object.entries(settings.headers ?? {})) headers.set(name, value)
  return headers
}

/** Adds the version to a Messages base URL without one, as a model's configuration does. */
function addressOf(upstream: URL, { api, path }: WireFormat): string {
  const url = new URL(upstream)
  const base = url.pathname.replace(/\/+$/, '')
  const version = api === 'messages' && !base.endsWith('/v1') ? '/v1' : ''
  url.pathname = base + version + path
  return url.href
}

function redactorFor(headers: Headers, { searchParams }: URL): Redactor {
  const secrets = [...headers, ...searchParams]
    .filter(([name]) => /auth|key|token|secret/i.test(name))
    // A scheme, such as `Bearer`, stands before the key.
    .flatMap(([, value]) => value.split(' '))
    .filter(({ length }) => length >= 8)
    // PHP escapes slashes, too.
    .flatMap((each) => [each, JSON.stringify(each).slice(1, -1).replaceAll('/', '\\/')])
  return new Redactor(secrets)
}

/** The headers for the page. HTML of another server must not become a document of the app's origin. */
function passedHeaders({ headers }: Response, redactor: Redactor): Headers {
  const passed = new Headers(COMMON)
  for (const [name, value] of headers)
    if (PASSED_HEADERS.test(name)) passed.set(name, redactor.redact(value))
  const type = headers.get('content-type') ?? ''
  const isData = /^(application\/(\w+\+)?json|text\/event-stream)\b/i.test(type)
  passed.set('content-type', isData ? type : 'text/plain; charset=utf-8')
  return passed
}

interface AnswerReaders {
  readonly redactor: Redactor
  readonly meter: Meter | null
  readonly finish: (ending: Ending) => Promise<void>
  /** Ends the request to the model's server: the page has stopped reading. */
  readonly abort: () => void
}

/** Passes an answer on, piece by piece. */
export async function passAnswer(
  response: Response,
  { redactor, meter, finish, abort }: AnswerReaders,
): Promise<Response> {
  const init = { status: response.status, headers: passedHeaders(response, redactor) }
  const reader = response.body?.getReader()
  if (!reader) {
    await finish('whole')
    return new Response(null, init)
  }
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let pending = ''
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          let isSent = false
          while (!isSent) {
            const { done, value } = await reader.read()
            if (value) meter?.push(value)
            pending += decoder.decode(value, { stream: !done })
            // A secret may continue in the next piece.
            const end = done ? pending.length : redactor.find(pending).openFrom
            const clean = redactor.redact(pending.slice(0, end))
            pending = pending.slice(end)
            isSent = clean !== ''
            if (isSent) controller.enqueue(encoder.encode(clean))
            if (!done) continue
            // Finishes first, because serverless platforms stop a function when its response ends.
            await finish('whole')
            return controller.close()
          }
        } catch (error) {
          await finish('cut')
          controller.error(error)
        }
      },
      async cancel() {
        abort()
        await finish('cut')
      },
    },
    // Reads no further than the page does.
    { highWaterMark: 0 },
  )
  return new Response(body, init)
}

/** An error with the status of the model's server, without the relay's secrets, which some servers quote. */
export async function passError(response: Response, redactor: Redactor): Promise<Response> {
  const excerpt = await readBeginning(response)
  // A secret may be cut off.
  const end = excerpt.length < MAX_ERROR ? excerpt.length : redactor.find(excerpt).openFrom
  const text = redactor.redact(excerpt.slice(0, end)).slice(0, MAX_ERROR)
  // A 401 would tell the page that its user is signed out.
  if (response.status === 401)
    throw new RelayError('permission_error', "The model's server refused the relay's key.", {
      cause: new Error(text),
    })
  return new Response(text, { status: response.status, headers: passedHeaders(response, redactor) })
}

async function readBeginning({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < MAX_ERROR) {
    const next = await reader?.read()
    if (!next || next.done) break
    text += decoder.decode(next.value, { stream: true })
  }
  reader?.cancel().catch(() => undefined)
  return text
}
