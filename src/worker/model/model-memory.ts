import type { ModelConfigData } from '../../protocol/model.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import type { RequestForm } from '../../providers/provider.ts'
import { FormMemory } from '../../providers/core/form-memory.ts'

/** A server that counts more than this counts something else. */
const MAX_FACTOR = 4

/** What was learned of models while this worker lives. */
export class ModelMemory {
  /** The forms of requests that endpoints have answered. */
  readonly forms: FormMemory
  readonly #tokenFactors = new Map<string, number>()
  readonly #contextWindows = new Map<string, number>()
  readonly #truncated = new Map<string, number>()

  constructor(now?: () => number) {
    this.forms = new FormMemory(now)
  }

  /**
   * Whether a model calls tools natively: as configured, else as was learned, else as the catalogue says. An
   * unknown model is asked natively, and remembered if it refuses.
   */
  toolMode(model: ModelConfigData, form: RequestForm = this.forms.get(model)): 'native' | 'action' {
    switch (model.toolMode ?? 'auto') {
      case 'native':
        return 'native'
      case 'action':
        return 'action'
      case 'auto':
        // Its calls and results are words in a prompt: so are the tools.
        if (model.inputMode === 'prompt') return 'action'
        return form.has('tools text') || modelFacts(model.model).tools === false
          ? 'action'
          : 'native'
      default:
        return (model.toolMode as undefined) ?? 'native'
    }
  }

  /** How many times more tokens the model's server has counted in a request than were estimated; at least 1. */
  tokenFactor(model: ModelConfigData): number {
    return this.#tokenFactors.get(keyOf(model)) ?? 1
  }

  knowsTokens(model: ModelConfigData): boolean {
    return this.#tokenFactors.has(keyOf(model))
  }

  rememberTokens(model: ModelConfigData, count: { estimated: number; counted: number }): void {
    const factor = count.counted / Math.max(1, count.estimated)
    this.#tokenFactors.set(keyOf(model), Math.min(MAX_FACTOR, Math.max(1, factor)))
  }

  /** The window that the model's server has said it has, in tokens. */
  contextWindow(model: ModelConfigData): number | undefined {
    return this.#contextWindows.get(keyOf(model))
  }

  rememberWindow(model: ModelConfigData, contextWindow: number): void {
    this.#contextWindows.set(keyOf(model), contextWindow)
  }

  /** Whether the signs (2: a proof) that the server cuts requests are a proof now. Said once; no sign begins anew. */
  provesTruncation(model: ModelConfigData, signs: number): boolean {
    const known = this.#truncated.get(keyOf(model)) ?? 0
    const now = known < 2 ? signs && known + signs : known
    this.#truncated.set(keyOf(model), now)
    return known < 2 && now >= 2
  }
}

function keyOf(model: ModelConfigData): string {
  return JSON.stringify([model.provider, model.baseURL ?? '', model.model])
}
