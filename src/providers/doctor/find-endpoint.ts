import { isWrongPath } from '../core/provider-error.ts'
import type { Outcome } from './ask.ts'
import { type Examination, shown } from './examination.ts'
import type { Plan } from './probe-model.ts'
import { asObjects, asRecord, asText, parseJson } from '../core/read-json.ts'
import { addressSpaceOf } from './browser-environment.ts'
import { ownerOf } from './server-help.ts'

export interface ModelList {
  readonly models?: readonly string[]
  /** `owned_by` of the first model, which may identify the server software. */
  readonly owner?: string
  /** HTTP status of the list; undefined if no answer came. */
  readonly status?: number
}

/**
 * Lists the models of an endpoint's server by `GET …/models` (the form of OpenAI and Anthropic). A local server
 * without that list is asked for Ollama's `GET /api/tags`.
 */
export async function listModels(
  examination: Examination,
  plan: Plan,
  endpoint: URL,
): Promise<ModelList> {
  const path = endpoint.pathname.replace(/\/(chat\/completions|messages|responses)$/, '/models')
  if (path === endpoint.pathname) return {}
  const headers = new Headers(plan.headers)
  headers.delete('content-type')
  headers.set('accept', 'application/json')
  const { credentials = 'omit' } = examination.config
  const get = (pathname: string): Promise<Outcome> =>
    examination.ask(new URL(pathname, endpoint.origin), { headers, credentials })
  const listed = await get(path)
  const models = modelNames(listed)
  const status = listed.type === 'answer' ? { status: listed.status } : {}
  const owner = ownerOf(modelEntries(listed) ?? [])
  if (models) return { ...status, models, ...(owner !== undefined && { owner }) }
  if (listed.type === 'timeout' || addressSpaceOf(endpoint.hostname) === 'public') return status
  const tags = modelNames(await get('/api/tags'))
  return { ...status, ...(tags && { models: tags }) }
}

/** The names in a list of models, whatever its form; undefined when the answer is no such list. */
export function modelNames(outcome: Outcome): readonly string[] | undefined {
  const entries = modelEntries(outcome)
  return entries?.flatMap((entry) => asText(entry['id']) ?? asText(entry['name']) ?? [])
}

/** The entries of `{ data: […] }` or Ollama's `{ models: […] }`. */
export function modelEntries(outcome: Outcome): ReturnType<typeof asObjects> | undefined {
  if (outcome.type !== 'answer' || outcome.status !== 200) return undefined
  const body = asRecord(parseJson(outcome.body))
  // An Ollama without models sends `data: null`.
  if (body?.['object'] === 'list') return asObjects(body['data'])
  const list = [body?.['data'], body?.['models']].find((entry) => Array.isArray(entry))
  return list === undefined ? undefined : asObjects(list)
}

/** Whether the list holds the model. Ollama's names without a tag mean `:latest`. */
export function offers(models: readonly string[], model: string): boolean {
  return models.includes(model) || models.includes(`${model}:latest`)
}

/**
 * Well-formed JSON that no server accepts as a conversation, so it costs nothing and runs nothing. Documented for
 * authors of servers in docs/providers/doctor.md.
 */
const EMPTY_REQUEST = JSON.stringify({ messages: 0 })

const CHAT = '/chat/completions'
const MESSAGES = '/v1/messages'
const RESPONSES = '/responses'

const FORMATS = [
  [CHAT, 'Chat Completions'],
  ['/messages', 'Messages'],
  [RESPONSES, 'the Responses API'],
] as const

/** The address's wire format, in words. */
export function formatAt({ pathname }: URL): string {
  return FORMATS.find(([path]) => pathname.endsWith(path))?.[1] ?? 'a format of its own'
}
const MAX_ENDPOINTS = 8

/** Sends an empty request with the real one's method and headers, so that the same CORS rules apply. */
export function probeEndpoint(
  examination: Examination,
  plan: Plan,
  url: URL = plan.url,
): Promise<Outcome> {
  const { headers } = plan
  const { credentials = 'omit' } = examination.config
  return examination.ask(url, { method: 'POST', headers, body: EMPTY_REQUEST, credentials })
}

/** Why the answer doesn't come from a model endpoint; undefined if it does. */
export function describeNonEndpoint(outcome: Outcome): string | undefined {
  if (outcome.type !== 'answer') return undefined
  const { status, redirected, contentType, body } = outcome
  if (redirected) return 'redirects elsewhere, and redirects are refused to keep keys safe'
  if (status === 404 || status === 405 || status === 501) return `answers ${status}`
  if (status < 300 && /html/i.test(contentType)) return 'answers with a web page'
  if (status < 300 && isWrongPath(body)) return 'is no path of the server'
  return undefined
}

export interface FoundEndpoint {
  readonly url: URL
  /** The configuration that uses this address. */
  readonly setting: string
}

/** Searches the usual addresses for one where an endpoint answers. */
export async function findEndpoint(
  examination: Examination,
  plan: Plan,
): Promise<FoundEndpoint | undefined> {
  const found = await Promise.all(
    usualEndpoints(plan.url).map(async (url) => {
      const outcome = await probeEndpoint(examination, plan, url)
      const isEndpoint =
        outcome.type === 'answer' &&
        describeNonEndpoint(outcome) === undefined &&
        /json|event-stream/i.test(outcome.contentType)
      return isEndpoint ? url : undefined
    }),
  )
  const url = found.find((candidate) => candidate !== undefined)
  if (!url) return undefined
  const isOther = formatAt(url) !== formatAt(plan.url)
  const api = url.pathname.endsWith(RESPONSES) ? 'responses' : 'chat'
  const baseURL = shown(url).replace(new RegExp(`(${CHAT}|${MESSAGES}|${RESPONSES})$`), '')
  return { url, setting: isOther ? `api: '${api}'` : `baseURL: '${baseURL}'` }
}

/** Addresses to try, nearest first: prefixes of the path, with and without a version, then vendors' paths. */
function usualEndpoints(endpoint: URL): URL[] {
  const isMessages = endpoint.pathname.endsWith('/messages')
  const isResponses = endpoint.pathname.endsWith(RESPONSES)
  const suffix = isMessages ? MESSAGES : isResponses ? RESPONSES : CHAT
  const base = endpoint.pathname.replace(/(\/v1)?\/messages$|\/chat\/completions$|\/responses$/, '')
  const segments = base.split('/').filter(Boolean)
  const beginnings = segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)
  const own = [...beginnings.toReversed(), ''].flatMap((path) => [path, `${path}/v1`])
  const vendors = isMessages ? ['', '/anthropic'] : ['/v1', '/api/v1', '/openai/v1', '/api']
  const paths = (isMessages ? [...beginnings.toReversed(), ...vendors] : [...own, ...vendors])
    .map((path) => path + suffix)
    .filter((path) => path !== endpoint.pathname)
  // OpenAI's other format, at the same address.
  if (!isMessages) paths.unshift(base + (isResponses ? CHAT : RESPONSES))
  return [...new Set(paths)].slice(0, MAX_ENDPOINTS).map((path) => new URL(path, endpoint.origin))
}
