import type { ModelConfigData } from '../../protocol/model.ts'
import type { StreamOptions } from '../../providers/provider.ts'

/**
 * The part of an AI SDK language model that is used here, for the specifications `v2`, `v3` and `v4`. Structural, so no
 * version's types have to be installed.
 */
export interface LanguageModelLike {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** Input of a function that makes a model for one request. */
export interface LanguageModelRequest {
  /** The agent's `model` as the worker gets it. `config.model` is its name, `config.baseURL` its URL. */
  readonly config: ModelConfigData
  /** Key that the page gave for this request, if any. Never stored. */
  readonly apiKey?: string
  readonly headers: { readonly [name: string]: string }
  /** The page's `fetch`, if `transport: 'page'` is set. Missing: use the worker's own. */
  readonly fetch?: NonNullable<StreamOptions['fetch']>
}

export interface LanguageModelOptions {
  /** Name that agents give as their `provider`. Default `'ai-sdk'`. */
  readonly id?: string
  /** Further options of each call, under the AI SDK's names: `providerOptions`, `reasoning`, `topK` … */
  readonly callOptions?: { readonly [name: string]: unknown }
}
