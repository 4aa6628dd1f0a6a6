import type { ModelConfig } from 'offstage'
import { discover, type Discovery } from 'offstage/providers'
import { scriptedModel } from './agent'

/** A place that runs models: a server, the browser, or the script. */
export interface ModelSource {
  readonly id: string
  readonly label: string
  /** Names of its models. Empty if it can't be used yet; `fix` says why. */
  readonly models: readonly string[]
  readonly preferred: string
  /** Whether a model answers without a download. */
  readonly isReady: boolean
  readonly fix?: string
  readonly configFor: (model: string) => ModelConfig
}

const providerNames: Readonly<Record<string, string>> = {
  ollama: 'Ollama',
  lmstudio: 'LM Studio',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
  localai: 'LocalAI',
  'prompt-api': 'The browser’s model',
}

export const scriptSource: ModelSource = {
  id: 'scripted',
  label: 'No model (scripted answers)',
  models: ['script'],
  preferred: 'script',
  isReady: true,
  configFor: () => scriptedModel,
}

/** Finds the model servers of this machine and the browser's own model. */
export async function findSources(signal: AbortSignal): Promise<readonly ModelSource[]> {
  const found = await discover({ signal })
  return found.flatMap((entry) => toSource(entry) ?? [])
}

/** The source of a model that was chosen before. */
export function toStoredSource(config: ModelConfig): ModelSource {
  const { provider, model = '', baseURL } = config
  return {
    id: sourceIdOf(config),
    label: labelFor(provider, baseURL),
    models: [model],
    preferred: model,
    isReady: true,
    configFor: () => config,
  }
}

export function sourceIdOf({ provider, baseURL = '' }: ModelConfig): string {
  return `${provider} ${baseURL}`
}

function toSource(entry: Discovery): ModelSource | undefined {
  switch (entry.type) {
    case 'server':
      return toServerSource(entry)
    case 'browser-model':
      return {
        ...toStoredSource(entry.config),
        label: `${labelFor(entry.config.provider)} (${entry.availability})`,
        isReady: entry.availability === 'available',
      }
    // WebLLM needs a package of its own, so this example leaves it out.
    case 'webgpu':
      return undefined
  }
}

function toServerSource(server: Extract<Discovery, { type: 'server' }>): ModelSource {
  const { provider, baseURL, status, models, config, fix } = server
  const isReady = status === 'ready'
  return {
    id: sourceIdOf({ provider, baseURL }),
    label: labelFor(provider, baseURL),
    models: isReady ? models : [],
    preferred: config?.model ?? '',
    isReady,
    ...(fix && { fix }),
    configFor: (model) => (model === config?.model ? config : { provider, baseURL, model }),
  }
}

function labelFor(provider: string, baseURL?: string): string {
  const name = providerNames[provider] ?? 'Server'
  return baseURL === undefined ? name : `${name} at ${new URL(baseURL).host}`
}
