import type { ErrorData } from '../../protocol/error.ts'
import { modelName, type ToolChoice } from '../../protocol/model.ts'
import type { ToolDefinition } from '../../protocol/tool.ts'
import { messagesPresets } from '../anthropic/presets.ts'
import { collect, type CollectedTurn } from '../collect.ts'
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

/** What the model is asked for: one word, a call of the tool, or that call in ACTION mode. */
export type Probe =
  | { readonly ask: 'word' }
  | { readonly ask: 'call' }
  | { readonly ask: 'action'; readonly instructions: string }

export interface ProbeResult {
  readonly turn: CollectedTurn
  /** Undefined when the endpoint answered to the end, or for as long as it was given. */
  readonly error?: ErrorData
  /** Of the answer. */
  readonly contentType: string
  /** The model was still answering when its time was over. */
  readonly isLate: boolean
}

/** Needs no thought, and has one argument whose type can be told from text. */
export const probeTool: ToolDefinition = {
  name: 'report_number',
  description: 'Reports a number.',
  inputSchema: {
    type: 'object',
    properties: { value: { type: 'integer', description: 'The number.' } },
    required: ['value'],
    additionalProperties: false,
  },
}

/** As runs have one, unless their agent has neither instructions nor ACTION mode. */
const INSTRUCTIONS = 'You help a person on a web page.'
const WORD_PROMPT = 'Answer with the word OK.'
const CALL_PROMPT = `Call the tool ${probeTool.name} with the value 7.`

/** Enough for one word, unless the configuration sets more (a thinking budget, say). */
const WORD_TOKENS = 16
/** Enough for a call with the thoughts of a small model before it. */
export const CALL_TOKENS = 1_024
/** A local model may have to be loaded first. */
const FIRST_CHUNK_MS = 60_000
/** From the first chunk on. */
const ANSWER_MS = 60_000

/** The request as it will be sent, or why the configuration makes none. Asks for key and headers once. */
export async function planRequest(examination: Examination): Promise<Plan | ErrorData> {
  let plan: Plan | undefined
  const { error } = await send(examination, { ask: 'call' }, (url, init) => {
    const model = asText(asRecord(parseJson(String(init?.body)))?.['model'])
    plan = {
      url: new URL(String(url)),
      headers: new Headers(init?.headers),
      model: model?.trim() ?? '',
    }
    return Promise.reject(new Error('not sent'))
  })
  if (plan) return plan
  return error ?? { code: 'internal', message: 'No request was made.', retryable: false }
}

/** One bounded request of the model. */
export function probeModel(examination: Examination, probe: Probe): Promise<ProbeResult> {
  return send(examination, probe, fetchOf(examination.options))
}

async function send(
  examination: Examination,
  probe: Probe,
  fetch: NonNullable<StreamOptions['fetch']>,
): Promise<ProbeResult> {
  const { signal, providers } = examination.options
  let contentType = ''
  const observed: typeof fetch = async (url, init) => {
    examination.learnSecrets(new Headers(init?.headers))
    const response = await fetch(url, init)
    contentType = response.headers.get('content-type') ?? ''
    return response
  }
  const config = bounded(examination.config, probe)
  const limit = new AbortController()
  const stop = (): void => limit.abort()
  signal?.addEventListener('abort', stop)
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      stop()
    },
    (config.timeouts?.firstChunkMs ?? FIRST_CHUNK_MS) + ANSWER_MS,
  )
  const turn = await collect(
    // A configuration that makes no provider fails as a request does.
    (async function* () {
      // There is no provider without a model. A server of Chat Completions is to say which ones it has.
      const unnamed = Object.hasOwn(messagesPresets, config.provider) ? '' : ' '
      const named = { ...config, model: modelName(config) || unnamed }
      const provider = createProvider(named, providers ? { providers } : {})
      yield* provider.stream(requestOf(probe), { fetch: observed, signal: limit.signal })
    })(),
  )
  clearTimeout(timer)
  signal?.removeEventListener('abort', stop)
  throwIfAborted(signal)
  const { error } = turn
  return { turn, contentType, isLate, ...(error && !isLate && { error }) }
}

function requestOf(probe: Probe): ModelRequest {
  const prompt = probe.ask === 'word' ? WORD_PROMPT : CALL_PROMPT
  return {
    messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
    tools: probe.ask === 'word' ? [] : [probeTool],
    toolMode: probe.ask === 'call' ? 'native' : 'action',
    instructions: probe.ask === 'action' ? probe.instructions : INSTRUCTIONS,
  }
}

function bounded(config: ProviderConfig, probe: Probe): ProviderConfig {
  const toolChoice = choiceOf(config.toolChoice)
  const maxOutputTokens = probe.ask === 'word' ? WORD_TOKENS : CALL_TOKENS
  return {
    ...config,
    ...(config.extraBody === undefined && { maxOutputTokens }),
    ...(toolChoice && { toolChoice }),
    timeouts: { firstChunkMs: FIRST_CHUNK_MS, ...config.timeouts },
  }
}

/** As the configuration has it; a tool that it names isn't offered here, so the probe's own is named. */
function choiceOf(configured: ToolChoice | undefined): ToolChoice | undefined {
  return typeof configured === 'object' ? { toolName: probeTool.name } : configured
}
