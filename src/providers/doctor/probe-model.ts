import { toErrorData, type ErrorData } from '../../protocol/error.ts'
import { collect } from '../collect.ts'
import { asRecord, asText, parseJson } from '../core/read-json.ts'
import { createProvider, type ProviderConfig } from '../create-provider.ts'
import type { ModelRequest, StreamOptions } from '../provider.ts'
import { fetchOf, throwIfAborted } from './ask.ts'
import type { Examination } from './examination.ts'

/** The request that the provider makes of a configuration, seen and not sent. */
export interface Plan {
  readonly url: URL
  readonly headers: Headers
  /** The configured model or the provider's default; empty when there is neither. */
  readonly model: string
}

export interface ProbeResult {
  /** Undefined when the endpoint answered to the end. */
  readonly error?: ErrorData
  /** Of the answer. */
  readonly contentType: string
}

const tool: ModelRequest['tools'][number] = {
  name: 'report_ok',
  description: 'Never call this tool.',
  inputSchema: { type: 'object', properties: {} },
}

/** Enough for one word, unless the configuration sets more (a thinking budget, say). */
const MAX_TOKENS = 16
/** A local model may have to be loaded first. */
const FIRST_CHUNK_MS = 60_000

/** The request as it will be sent, or why the configuration makes none. Asks for key and headers once. */
export async function planRequest(examination: Examination): Promise<Plan | ErrorData> {
  let plan: Plan | undefined
  const result = await send(examination, 'native', (url, init) => {
    const model = asText(asRecord(parseJson(String(init?.body)))?.['model'])
    plan = { url: new URL(String(url)), headers: new Headers(init?.headers), model: model ?? '' }
    return Promise.reject(new Error('not sent'))
  })
  if (plan) return plan
  return result.error ?? { code: 'internal', message: 'No request was made.', retryable: false }
}

/** Asks the model for one word. `'native'` offers it a tool. */
export function probeModel(
  examination: Examination,
  toolMode: 'native' | 'action',
): Promise<ProbeResult> {
  return send(examination, toolMode, fetchOf(examination.options))
}

async function send(
  examination: Examination,
  toolMode: 'native' | 'action',
  fetch: NonNullable<StreamOptions['fetch']>,
): Promise<ProbeResult> {
  const { config, options } = examination
  const request: ModelRequest = {
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Answer with the word OK.' }] }],
    tools: toolMode === 'native' ? [tool] : [],
    toolMode,
  }
  let contentType = ''
  const observed: typeof fetch = async (url, init) => {
    examination.learnSecrets(new Headers(init?.headers))
    const response = await fetch(url, init)
    contentType = response.headers.get('content-type') ?? ''
    return response
  }
  try {
    const { providers, signal } = options
    const provider = createProvider(smallest(config), providers ? { providers } : {})
    const stream = provider.stream(request, { fetch: observed, ...(signal && { signal }) })
    const { error } = await collect(stream)
    throwIfAborted(signal)
    return { contentType, ...(error && { error }) }
  } catch (thrown) {
    throwIfAborted(options.signal)
    return { contentType, error: toErrorData(thrown) }
  }
}

function smallest(config: ProviderConfig): ProviderConfig {
  return {
    ...config,
    ...(config.extraBody === undefined && { maxOutputTokens: MAX_TOKENS }),
    timeouts: { firstChunkMs: FIRST_CHUNK_MS, ...config.timeouts },
  }
}
