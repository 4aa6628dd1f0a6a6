import type { ModelConfigData } from '../../protocol/model.ts'
import { asCount, asObjects, asRecord, asText, parseJson } from '../core/read-json.ts'
import type { StreamOptions } from '../provider.ts'
import { sendDiagnosticRequest, throwIfAborted, type Outcome } from './ask.ts'
import {
  type Availability,
  browserModel,
  findWebGpu,
  pageOf,
  addressSpaceOf,
} from './browser-environment.ts'
import { helpFor, identifyServer, type ServerId, ownerOf } from './server-help.ts'
import { isWrongPath } from '../core/provider-error.ts'
import { type Examination, displayURL } from './examination.ts'
import type { PlannedRequest } from './probe-model.ts'

/** Options of `discover`: how it sends requests, and when it gives up. */
export interface DiscoverOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: StreamOptions['fetch']
  /** Stops the search: `discover` then rejects with the code `aborted`. */
  readonly signal?: AbortSignal
  /** Milliseconds for each request. Default 1 500. */
  readonly timeoutMs?: number
}

/** Something that can run a model. `config`, if set, can be passed to `createAgent`. */
export type Discovery =
  | {
      readonly type: 'server'
      readonly provider: ServerId
      readonly baseURL: string
      /** `'refused'`: the server runs, but doesn't allow this page. */
      readonly status: 'ready' | 'no-models' | 'key-needed' | 'refused'
      readonly models: readonly string[]
      readonly config?: ModelConfigData
      /** How to reach the status `'ready'`. */
      readonly fix?: string
    }
  | {
      readonly type: 'browser-model'
      readonly availability: Exclude<Availability, 'unavailable'>
      readonly config: ModelConfigData
    }
  /** A WebGPU graphics card, for `offstage/webllm`. The model in `config` is a small one. */
  | { readonly type: 'webgpu'; readonly shaderF16: boolean; readonly config: ModelConfigData }

/** Default ports, and the servers that use each. */
const serverPorts: readonly {
  readonly port: number
  readonly servers: readonly [ServerId, ...ServerId[]]
}[] = [
  { port: 11434, servers: ['ollama'] },
  { port: 1234, servers: ['lmstudio'] },
  { port: 8080, servers: ['llamacpp', 'localai'] },
  { port: 8000, servers: ['vllm'] },
]

const HOSTS = ['localhost', '127.0.0.1'] as const
const TIMEOUT_MS = 1_500

/** Names of models that can't chat: embeddings, rerankers, speech. */
const NOT_FOR_CHAT = /embed|rerank|whisper|\bbge\b|\btts\b/i

/**
 * Finds the models at hand: local servers on their default ports, the browser's own model, WebGPU. Tries all ports at
 * once, with a few requests each.
 *
 * Browsers log a line to the console for each port without a server. On a public page, Chromium asks for permission to
 * reach local addresses, so call this on a click.
 *
 * Rejects only when `signal` is aborted.
 */
export async function discover(options: DiscoverOptions = {}): Promise<readonly Discovery[]> {
  throwIfAborted(options.signal)
  const discoveries = await Promise.all([
    ...serverPorts.map(({ port, servers }) => findServer(port, servers, options)),
    findBrowserModel(),
    findGpu(),
  ])
  throwIfAborted(options.signal)
  return discoveries.filter((entry) => entry !== undefined)
}

type Servers = (typeof serverPorts)[number]['servers']

async function findServer(
  port: number,
  servers: Servers,
  options: DiscoverOptions,
): Promise<Discovery | undefined> {
  for (const host of HOSTS) {
    const origin = `http://${host}:${port}`
    const get = (path: string): Promise<Outcome> => request(origin + path, {}, options)
    const outcome = await get('/v1/models')
    if (outcome.type === 'answer') return describeServer(outcome, { origin, servers, get })
  }
  return findRefusingServer(port, servers, options)
}

async function describeServer(
  outcome: Extract<Outcome, { type: 'answer' }>,
  location: {
    readonly origin: string
    readonly servers: Servers
    readonly get: (path: string) => Promise<Outcome>
  },
): Promise<Discovery | undefined> {
  const { origin, servers, get } = location
  const baseURL = `${origin}/v1`
  const entries = modelEntries(outcome)
  if (!entries) {
    // llama.cpp lists its model without a key, so a 401 on port 8080 means LocalAI.
    const provider = servers[servers.length - 1] ?? servers[0]
    const needsKey = outcome.status === 401 && /json/i.test(outcome.contentType)
    if (!needsKey) return undefined
    return {
      type: 'server',
      provider,
      baseURL,
      status: 'key-needed',
      models: [],
      fix: 'Give an apiKey.',
    }
  }
  const provider = await identifyServer(entries, servers, get)
  const models = modelNames(outcome) ?? []
  const model = models.find((name) => !NOT_FOR_CHAT.test(name))
  if (model === undefined) {
    const fix = helpFor(provider).model('qwen3:4b')
    return { type: 'server', provider, baseURL, status: 'no-models', models, fix }
  }
  // vLLM reports the context window that it was started with.
  const entry = entries.find(({ id }) => id === model)
  const contextWindow = asCount(entry?.['max_model_len'])
  const config = { provider, model, baseURL, ...(contextWindow && { contextWindow }) }
  return { type: 'server', provider, baseURL, status: 'ready', models, config }
}

/** Finds a server that runs but doesn't allow this page. Tries only ports that other software rarely uses. */
async function findRefusingServer(
  port: number,
  [provider]: Servers,
  options: DiscoverOptions,
): Promise<Discovery | undefined> {
  const page = pageOf(undefined)
  if (!page || (provider !== 'ollama' && provider !== 'lmstudio')) return undefined
  const origin = `http://${HOSTS[0]}:${port}`
  const outcome = await request(`${origin}/`, { mode: 'no-cors', redirect: 'follow' }, options)
  if (outcome.type !== 'answer') return undefined
  const fix = helpFor(provider).cors(page.origin)
  return { type: 'server', provider, baseURL: `${origin}/v1`, status: 'refused', models: [], fix }
}

function request(url: string, init: RequestInit, options: DiscoverOptions): Promise<Outcome> {
  return sendDiagnosticRequest(new URL(url), init, { timeoutMs: TIMEOUT_MS, ...options })
}

async function findBrowserModel(): Promise<Discovery | undefined> {
  const availability = await browserModel()
  if (availability === 'unavailable') return undefined
  const config = { provider: 'prompt-api', model: 'default' }
  return { type: 'browser-model', availability, config }
}

async function findGpu(): Promise<Discovery | undefined> {
  const gpu = await findWebGpu()
  if (!gpu) return undefined
  const model = gpu.shaderF16 ? 'Qwen3-1.7B-q4f16_1-MLC' : 'Qwen3-1.7B-q4f32_1-MLC'
  return { type: 'webgpu', shaderF16: gpu.shaderF16, config: { provider: 'webllm', model } }
}

export interface ModelList {
  readonly models?: readonly string[]
  /** `owned_by` of the first model, which may identify the server software. */
  readonly owner?: string
  /** HTTP status of the list; undefined if no answer was received. */
  readonly status?: number
}

/**
 * Lists the models of an endpoint's server by `GET …/models` (the format of OpenAI and Anthropic). If a local server
 * has no such list, tries Ollama's `GET /api/tags`.
 */
export async function listModels(
  examination: Examination,
  plan: PlannedRequest,
  endpoint: URL,
): Promise<ModelList> {
  const path = endpoint.pathname.replace(/\/(chat\/completions|messages|responses)$/, '/models')
  if (path === endpoint.pathname) return {}
  const headers = new Headers(plan.headers)
  headers.delete('content-type')
  headers.set('accept', 'application/json')
  const { credentials = 'omit' } = examination.config
  const get = (pathname: string): Promise<Outcome> =>
    examination.sendRequest(new URL(pathname, endpoint.origin), { headers, credentials })
  const outcome = await get(path)
  const models = modelNames(outcome)
  const status = outcome.type === 'answer' ? { status: outcome.status } : {}
  const owner = ownerOf(modelEntries(outcome) ?? [])
  if (models) return { ...status, models, ...(owner !== undefined && { owner }) }
  if (outcome.type === 'timeout' || addressSpaceOf(endpoint.hostname) === 'public') return status
  const tags = modelNames(await get('/api/tags'))
  return { ...status, ...(tags && { models: tags }) }
}

/** The names in a model list of any known format; undefined if the answer is no such list. */
function modelNames(outcome: Outcome): readonly string[] | undefined {
  const entries = modelEntries(outcome)
  return entries?.flatMap((entry) => asText(entry['id']) ?? asText(entry['name']) ?? [])
}

/** The entries of `{ data: […] }` or Ollama's `{ models: […] }`. */
function modelEntries(outcome: Outcome): ReturnType<typeof asObjects> | undefined {
  if (outcome.type !== 'answer' || outcome.status !== 200) return undefined
  const body = asRecord(parseJson(outcome.body))
  // Ollama without models sends `data: null`.
  if (body?.['object'] === 'list') return asObjects(body['data'])
  const list = [body?.['data'], body?.['models']].find((entry) => Array.isArray(entry))
  return list === undefined ? undefined : asObjects(list)
}

/** Whether the list holds the model. Ollama's names without a tag mean `:latest`. */
export function offers(models: readonly string[], model: string): boolean {
  return models.includes(model) || models.includes(`${model}:latest`)
}

/**
 * Well-formed JSON that no server accepts as a conversation, so the request costs nothing and runs nothing. Documented
 * for server authors in docs/providers/doctor.md.
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

/** Names the wire format of the address. */
export function formatAt({ pathname }: URL): string {
  return FORMATS.find(([path]) => pathname.endsWith(path))?.[1] ?? 'a format of its own'
}
const MAX_ENDPOINTS = 8

/** Sends an empty request with the method and headers of a real one, so that the same CORS rules apply. */
export function probeEndpoint(
  examination: Examination,
  plan: PlannedRequest,
  url: URL = plan.url,
): Promise<Outcome> {
  const { headers } = plan
  const { credentials = 'omit' } = examination.config
  return examination.sendRequest(url, { method: 'POST', headers, body: EMPTY_REQUEST, credentials })
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
  /** Configuration setting that selects this address. */
  readonly setting: string
}

/** Searches the usual addresses for a model endpoint. */
export async function findEndpoint(
  examination: Examination,
  plan: PlannedRequest,
): Promise<FoundEndpoint | undefined> {
  const urls = await Promise.all(
    usualEndpoints(plan.url).map(async (url) => {
      const outcome = await probeEndpoint(examination, plan, url)
      const isEndpoint =
        outcome.type === 'answer' &&
        describeNonEndpoint(outcome) === undefined &&
        /json|event-stream/i.test(outcome.contentType)
      return isEndpoint ? url : undefined
    }),
  )
  const url = urls.find((candidate) => candidate !== undefined)
  if (!url) return undefined
  const isOther = formatAt(url) !== formatAt(plan.url)
  const api = url.pathname.endsWith(RESPONSES) ? 'responses' : 'chat'
  const baseURL = displayURL(url).replace(new RegExp(`(${CHAT}|${MESSAGES}|${RESPONSES})$`), '')
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
  const ownPaths = [...beginnings.toReversed(), ''].flatMap((path) => [path, `${path}/v1`])
  const vendors = isMessages ? ['', '/anthropic'] : ['/v1', '/api/v1', '/openai/v1', '/api']
  const paths = (isMessages ? [...beginnings.toReversed(), ...vendors] : [...ownPaths, ...vendors])
    .map((path) => path + suffix)
    .filter((path) => path !== endpoint.pathname)
  // Also tries OpenAI's other format at the same address.
  if (!isMessages) paths.unshift(base + (isResponses ? CHAT : RESPONSES))
  return [...new Set(paths)].slice(0, MAX_ENDPOINTS).map((path) => new URL(path, endpoint.origin))
}
