import type { ModelConfig, Script } from 'offstage'
import { storedValue } from '../lib/stored.ts'
import { NO_MODEL, presetOf } from './presets.ts'

/** The visitor's choice of a model. The API key is never stored. */
export interface ModelChoice {
  readonly provider: string
  readonly baseURL: string
  readonly model: string
  /** Whether a key was entered. After a reload, the visitor has to enter it again. */
  readonly hadKey: boolean
}

const noModel: ModelChoice = { provider: NO_MODEL, baseURL: '', model: '', hadKey: false }

/** Enough retries that the run survives about a minute without a network. */
const retry = { maxRetries: 30, maxDelayMs: 2000 }

/** Tokens that a model from a file is given. More take more memory. */
const FILE_CONTEXT = 8192

const store = storedValue('localStorage', 'kiln-model')

/** Describes the chosen model to an agent. Without a model, `script` is played. */
export function toModelConfig(
  choice: Omit<ModelChoice, 'hadKey'>,
  apiKey: string,
  script: Script = {},
): ModelConfig {
  if (choice.provider === NO_MODEL) return { provider: NO_MODEL, model: 'script', script, retry }
  const { provider, baseURL, model } = choice
  return {
    provider,
    model,
    ...(provider === 'wllama' && { contextWindow: FILE_CONTEXT }),
    ...(baseURL && { baseURL }),
    ...(apiKey && { apiKey }),
  }
}

/** The model's name for the visitor. */
export function nameOf({ provider, model }: ModelChoice): string {
  if (provider === NO_MODEL) return 'Demo mode (scripted)'
  return `${presetOf(provider)?.label ?? provider} · ${model}`
}

export function loadChoice(): ModelChoice {
  const { provider = '', ...rest } = (store.read() ?? {}) as Partial<ModelChoice>
  return presetOf(provider) ? { ...noModel, ...rest, provider } : noModel
}

export function saveChoice(choice: ModelChoice): void {
  store.write(choice)
}
