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

/** The request that a configuration results in, captured before it is sent. */
export interface PlannedRequest {
  readonly url: URL
  readonly headers: Headers
  /** The configured model, else the provider's default; empty if there is neither. */
  readonly model: string
}

/** The request to the model: for one word, a native tool call, or a call in ACTION mode. */
export type Probe =
  | { readonly kind: 'word' }
  | { readonly kind: 'call' }
  | { readonly kind: 'action'; readonly instructions: string }

export interface ProbeResult {
  readonly turn: CollectedTurn
  /** Undefined if the answer ended normally or the probe timed out. */
  readonly error?: ErrorData
  /** Content type of the answer. */
  readonly contentType: string
  /** The model was still answering when the probe timed out. */
  readonly isLate: boolean
}

/** Tool for the probe. A call needs no reasoning, and its number can be distinguished from text. */
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

/** Sent because most runs have a system message. Only agents without instructions and ACTION mode have none. */
const INSTRUCTIONS = 'You help a person on a web page.'
const WORD_PROMPT = 'Answer with the word OK.'
const CALL_PROMPT = `Call the tool ${probeTool.name} with the value 7.`

/** Enough for one word. Not sent if the configuration has `extraBody`, which may set a thinking budget. */
const WORD_TOKENS = 16
/** Enough for a call after a small model's reasoning. */
export const CALL_TOKENS = 1_024
/** Milliseconds until the first chunk. A local model may have to be loaded first. */
const FIRST_CHUNK_MS = 60_000
/** Milliseconds for the answer after the first chunk. */
const ANSWER_MS = 60_000

/**
 * Returns the request as it would be sent, or the error if the configuration allows none. Calls the functions for keys
 * and headers once.
 */
export async function planRequest(examination: Examination): Promise<PlannedRequest | ErrorData> {
  let plan: PlannedRequest | undefined
  const { error } = await send(examination, { kind: 'call' }, (url, init) => {
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

/** Sends one request to the model, with limits on tokens and time. */
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
  const config = withLimits(examination.config, probe)
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
    // An invalid configuration throws inside the generator, so it fails like a request.
    (async function* () {
      // `createProvider` requires a model name. If the name is blank, a Chat Completions server may reply with its
      // models.
      const placeholderName = Object.hasOwn(messagesPresets, config.provider) ? '' : ' '
      const namedConfig = { ...config, model: modelName(config) || placeholderName }
      const provider = createProvider(namedConfig, providers ? { providers } : {})
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
  const prompt = probe.kind === 'word' ? WORD_PROMPT : CALL_PROMPT
  return {
    messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
    tools: probe.kind === 'word' ? [] : [probeTool],
    toolMode: probe.kind === 'call' ? 'native' : 'action',
    instructions: probe.kind === 'action' ? probe.instructions : INSTRUCTIONS,
  }
}

function withLimits(config: ProviderConfig, probe: Probe): ProviderConfig {
  const toolChoice = choiceOf(config.toolChoice)
  const maxOutputTokens = probe.kind === 'word' ? WORD_TOKENS : CALL_TOKENS
  return {
    ...config,
    ...(config.extraBody === undefined && { maxOutputTokens }),
    ...(toolChoice && { toolChoice }),
    timeouts: { firstChunkMs: FIRST_CHUNK_MS, ...config.timeouts },
  }
}

/** Returns the configured tool choice. A choice by name becomes the probe's tool, the only one offered. */
function choiceOf(configured: ToolChoice | undefined): ToolChoice | undefined {
  return typeof configured === 'object' ? { toolName: probeTool.name } : configured
}
