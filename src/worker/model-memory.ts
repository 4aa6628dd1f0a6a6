import type { ModelConfigData } from '../protocol/model.ts'

/** What was learned of models while this worker lives: which of them refuse native tools. */
export class ModelMemory {
  readonly #refusesTools = new Set<string>()

  toolMode(model: ModelConfigData): 'native' | 'action' {
    switch (model.toolMode ?? 'auto') {
      case 'native':
        return 'native'
      case 'action':
        return 'action'
      case 'auto':
        return this.#refusesTools.has(keyOf(model)) ? 'action' : 'native'
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
