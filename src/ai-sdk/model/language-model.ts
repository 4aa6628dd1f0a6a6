import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamOptions } from '../../providers/provider.ts'

/**
 * What is used of an AI SDK language model, of the specifications `v2`, `v3` and `v4`. Structural, so that types of no
 * version have to be installed.
 */
export interface LanguageModelLike {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** What a model is made of for one request. */
export interface LanguageModelRequest {
  /** The agent's `model`, as it crosses to the worker: `config.model` is its name, `config.baseURL` its address. */
  readonly config: ModelConfigData
  /** What the page gave for this request, or nothing. Never stored. */
  readonly apiKey?: string
  readonly headers: { readonly [name: string]: string }
  /** Of the page where `transport: 'page'` says so. Absent: the worker's own. */
  readonly fetch?: NonNullable<StreamOptions['fetch']>
}

export interface LanguageModelOptions {
  /** What agents name as their `provider`. Default `'ai-sdk'`. */
  readonly id?: string
  /** Further options of each call, in the words of the AI SDK: `providerOptions`, `reasoning`, `topK` … */
  readonly callOptions?: { readonly [name: string]: unknown }
}
