import { isWrongPath } from '../core/provider-error.ts'
import type { Outcome } from './ask.ts'
import { shown, type Examination } from './examination.ts'
import type { Plan } from './probe-model.ts'

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
