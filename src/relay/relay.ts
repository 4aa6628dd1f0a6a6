import { callModel } from './call-model.ts'
import { allowOrigin, isPreflight, preflightResponse } from './cors.ts'
import { checkOptions, type RelayOptions, type RelaySettings } from './options.ts'
import { badRequest, RelayError } from './relay-error.ts'

/** Answers a request, as a route of every framework does that has the web's own `Request` and `Response`. */
export type Relay = (request: Request) => Promise<Response>

/**
 * Passes calls of pages on to a model's server, with a key that pages never see. Answers `POST …/chat/completions`,
 * `…/messages` and `…/responses`, and `GET …/models`, wherever it is mounted. Throws `invalid-config`.
 *
 * @example
 * export const relay = createRelay({
 *   baseURL: 'https://api.openai.com/v1',
 *   apiKey: process.env.OPENAI_API_KEY,
 *   models: ['gpt-4.1-mini'],
 *   authorize: async (request) => (await sessionOf(request))?.userId ?? null,
 * })
 */
export function createRelay(options: RelayOptions): Relay {
  const settings = checkOptions(options)
  const { allowedOrigins } = settings
  return async (request) => {
    const response =
      isPreflight(request) && allowedOrigins.size > 0
        ? preflightResponse(request)
        : await answer(request, settings).catch((error: unknown) => {
            // A page that has left caused its own error.
            if (!request.signal.aborted) report(error, settings)
            return errorResponse(error)
          })
    return allowOrigin(response, request, allowedOrigins)
  }
}

async function answer(request: Request, settings: RelaySettings): Promise<Response> {
  const { method, url, headers } = request
  const { pathname } = new URL(url)
  if (method === 'GET' && pathname.endsWith('/models')) {
    const user = await userOf(request, settings)
    return typeof user === 'string' ? modelList(settings.models) : user
  }
  // The page's path chooses one of three. No part of it reaches the address that is fetched.
  const format = settings.formats.find(({ path }) => pathname.endsWith(path))
  if (!format) throw badRequest('The relay has no such path.', { status: 404 })
  if (method !== 'POST')
    throw badRequest('The relay takes POST here.', { status: 405, headers: { allow: 'POST' } })
  // Forms of other sites can't send this type. Their scripts need a preflight, which names the listed origins only.
  if (!/^application\/json\b/i.test(headers.get('content-type') ?? ''))
    throw badRequest('The relay takes application/json.', { status: 415 })
  const user = await userOf(request, settings)
  return typeof user === 'string' ? callModel(request, { user, format, settings }) : user
}

async function userOf(request: Request, { authorize }: RelaySettings): Promise<string | Response> {
  if (authorize === 'anyone') return authorize
  const user = await authorize(request)
  if (user instanceof Response || (typeof user === 'string' && user !== '')) return user
  // Objects would all be one user: `[object Object]`.
  if (user) throw new TypeError('authorize must return a string, null or a Response.')
  throw new RelayError('authentication_error', 'Sign in to use the model.')
}

/** Both OpenAI's and Anthropic's form. The vendor isn't asked: its list has the account's own models. */
function modelList(models: readonly string[]): Response {
  const data = models.map((id) => ({ id, object: 'model', type: 'model' }))
  return Response.json({ object: 'list', data, has_more: false })
}

function report(error: unknown, { onError }: RelaySettings): void {
  if (!(error instanceof RelayError) || error.cause !== undefined) onError?.(error)
}

function errorResponse(error: unknown): Response {
  const known =
    error instanceof RelayError
      ? error
      : new RelayError('server_error', 'The relay failed.', { status: 500 })
  return known.toResponse()
}
