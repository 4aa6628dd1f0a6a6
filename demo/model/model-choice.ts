import type { ModelConfig } from 'offstage'
import { stored } from '../lib/stored.ts'
import { NO_MODEL, presetOf } from './presets.ts'
import { script } from './script.ts'

/** What was picked. The key is not part of what is stored. */
export interface ModelChoice {
  readonly provider: string
  readonly baseURL: string
  readonly model: string
  /** It had a key: after a reload, it has to be typed again. */
  readonly hadKey: boolean
}

const noModel: ModelChoice = { provider: NO_MODEL, baseURL: '', model: '', hadKey: false }

/** Without a network for a while, it goes on by itself. */
const retry = { maxRetries: 30, maxDelayMs: 2000 }

const store = stored('localStorage', 'kiln-model')

export function toModelConfig(choice: Omit<ModelChoice, 'hadKey'>, apiKey: string): ModelConfig {
  if (choice.provider === NO_MODEL) return { provider: NO_MODEL, model: 'script', script, retry }
  const { provider, baseURL, model } = choice
  return { provider, model, ...(baseURL && { baseURL }), ...(apiKey && { apiKey }) }
}

/** For people. */
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
