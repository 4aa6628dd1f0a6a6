import type { StepContext, StepQuery } from '../../protocol/page-calls.ts'
import { fillValues } from './fill-values.ts'
import type { AgentOptions, ModelConfig, PromptValues } from './options.ts'
import type { Engine } from '../../protocol/engine.ts'
import { toModelData } from './model-config.ts'

export function findEngine(
  provider: string,
  engines: readonly Engine[] | undefined,
): Engine | undefined {
  return engines?.find(({ id }) => id === provider)
}

/** The model's configuration for the worker, and whether an engine of the page runs the model. */
export function modelOfPage(
  config: ModelConfig,
  engines: readonly Engine[] | undefined,
): Pick<StepContext, 'model' | 'hasEngine'> {
  const engine = findEngine(config.provider, engines)
  const model = toModelData(config)
  return {
    model: engine?.toolMode ? { ...model, toolMode: engine.toolMode } : model,
    hasEngine: engine !== undefined,
  }
}

/** Settings that `configure()` and `addContext()` change. Read again for every step. */
export interface AgentConfig {
  model: ModelConfig
  instructions: string
  values: PromptValues
  /** Parts of the live context that follow the `context` option. */
  readonly contexts: Set<() => unknown>
}

/** Reasoning models may take minutes. */
const REFLECT_MS = 120_000

/** Returns the model of a request. */
export function modelFor(
  { titles: forTitle, reflects }: StepQuery,
  { titles, reflect }: AgentOptions,
  { model }: Pick<AgentConfig, 'model'>,
): ModelConfig {
  if (forTitle) return typeof titles === 'object' ? titles.model : model
  return (reflects && reflect?.model) || model
}

/** Returns the settings for reviewing answers, if there are any. Throws `invalid-config` if a value is missing. */
export function reflectSettings(
  { reflect }: AgentOptions,
  { values }: Pick<AgentConfig, 'values'>,
): Pick<StepContext, 'reflect'> {
  if (!reflect) return {}
  const { mode, timeoutMs = REFLECT_MS } = reflect
  const instructions = fillValues(reflect.instructions, values, 'invalid-config')
  return { reflect: { mode, instructions, timeoutMs } }
}
