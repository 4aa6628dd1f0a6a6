import type { StepContext } from '../protocol/questions.ts'
import type { Engine } from '../protocol/engine.ts'
import { toModelData } from './model-config.ts'
import type { ModelConfig } from './options.ts'

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
): Pick<StepContext, 'model' | 'engine'> {
  const engine = findEngine(config.provider, engines)
  const model = toModelData(config)
  return {
    model: engine?.toolMode ? { ...model, toolMode: engine.toolMode } : model,
    engine: engine !== undefined,
  }
}
