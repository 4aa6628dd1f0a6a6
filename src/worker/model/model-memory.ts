import type { ModelConfigData } from '../../protocol/model.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'

/**
 * Whether a model calls tools natively: as configured, else as was learned while this worker lives,
 * else as the catalogue says. A model nobody knows is asked natively, and remembered if it refuses.
 */
export class ModelMemory {
  readonly #refusesTools = new Set<string>()

  toolMode(model: ModelConfigData): 'native' | 'action' {
    switch (model.toolMode ?? 'auto') {
      case 'native':
        return 'native'
      case 'action':
        return 'action'
      case 'auto':
        // Its calls and results are words in a prompt: so are the tools.
        if (model.inputMode === 'prompt') return 'action'
        return this.#refusesTools.has(keyOf(model)) || modelFacts(model.model).tools === false
          ? 'action'
          : 'native'
      default:
        return (model.toolMode as undefined) ?? 'native'
    }
  }

  rememberRefusal(model: ModelConfigData): void {
    this.#refusesTools.add(keyOf(model))
  }
}

function keyOf(model: ModelConfigData): string {
  return JSON.stringify([model.provider, model.baseURL ?? '', model.model])
}
