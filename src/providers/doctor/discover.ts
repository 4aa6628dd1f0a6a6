import type { ModelConfigData } from '../../protocol/model.ts'
import { asCount } from '../core/read-json.ts'
import type { StreamOptions } from '../provider.ts'
import { ask, throwIfAborted, type Outcome } from './ask.ts'
import { type Availability, browserModel, findWebGpu, pageOf } from './browser-environment.ts'
import { helpFor, identifyServer, type ServerId } from './server-help.ts'
import { modelEntries, modelNames } from './find-endpoint.ts'

/** Options of `discover`: how it sends requests, and when it gives up. */
export interface DiscoverOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: StreamOptions['fetch']
  /** Ends the search: `discover` rejects with the code `aborted`. */
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
      /** `'refused'`: the server runs, but rejects this page. */
      readonly status: 'ready' | 'no-models' | 'key-needed' | 'refused'
      readonly models: readonly string[]
      readonly config?: ModelConfigData
      /** How to get from another status to `'ready'`. */
      readonly fix?: string
    }
  | {
      readonly type: 'browser-model'
      readonly availability: Exclude<Availability, 'unavailable'>
      readonly config: ModelConfigData
    }
  /** A graphics card for `offstage/webllm`; the model in `config` is a small one. */
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

/** Models that can't chat: embeddings, rerankers, speech. */
const NOT_FOR_CHAT = /embed|rerank|whisper|\bbge\b|\btts\b/i

/**
 * Finds the models at hand: local servers on their default ports, the browser's own model, WebGPU. Tries all ports at
 * once, with a few requests each.
 *
 * Browsers log a line to the console for each port without a server. On a public page, Chromium asks for permission
 * to reach local addresses: call this on a click.
 *
 * Rejects only when `signal` is aborted.
 */
export async function discover(options: DiscoverOptions = {}): Promise<readonly Discovery[]> {
  throwIfAborted(options.signal)
  const found = await Promise.all([
    ...serverPorts.map(({ port, servers }) => findServer(port, servers, options)),
    findBrowserModel(),
    findGpu(),
  ])
  throwIfAborted(options.signal)
  return found.filter((entry) => entry !== undefined)
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
    // llama.cpp lists its model without a key, so on port 8080 a 401 means LocalAI.
    const provider = servers[servers.length - 1] ?? servers[0]
    const isClosed = outcome.status === 401 && /json/i.test(outcome.contentType)
    if (!isClosed) return undefined
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
  // vLLM states the context that it was started with.
  const entry = entries.find(({ id }) => id === model)
  const contextWindow = asCount(entry?.['max_model_len'])
  const config = { provider, model, baseURL, ...(contextWindow && { contextWindow }) }
  return { type: 'server', provider, baseURL, status: 'ready', models, config }
}

/** Finds a server that runs but rejects this page. Tries only ports that nothing else commonly uses. */
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
  return ask(new URL(url), init, { timeoutMs: TIMEOUT_MS, ...options })
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
