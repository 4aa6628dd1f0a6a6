import type { ModelConfigData } from '../../protocol/model.ts'
import { modelFacts } from '../../providers/catalogue/model-facts.ts'
import type { RequestForm } from '../../providers/provider.ts'
import { FormMemory } from '../../providers/core/form-memory.ts'

/** Largest plausible ratio of a server's token count to our estimate. */
const MAX_FACTOR = 4

/** Facts about models that this worker has learned. Never stored. */
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
   * The tool mode: as configured, as learned from refusals, or as in the catalogue, in this order. An unknown model
   * begins with `native`.
   */
  toolMode(model: ModelConfigData, form: RequestForm = this.forms.get(model)): 'native' | 'action' {
    const { toolMode = 'auto' } = model
    if (toolMode !== 'auto') return toolMode
    // A prompt has calls and results as text, so it must have the tools as text, too.
    const isText =
      model.inputMode === 'prompt' ||
      form.has('tools text') ||
      modelFacts(model.model).tools === false
    return isText ? 'action' : 'native'
  }

  /** Ratio of the server's token count for a request to our estimate, from 1 to `MAX_FACTOR`. */
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

  /** The context window that the model's server has reported, in tokens. */
  contextWindow(model: ModelConfigData): number | undefined {
    return this.#contextWindows.get(keyOf(model))
  }

  rememberWindow(model: ModelConfigData, contextWindow: number): void {
    this.#contextWindows.set(keyOf(model), contextWindow)
  }

  /**
   * Adds up signs that the server truncates requests. Two signs are a proof; `signs` 0 resets the sum. Returns true
   * only once, when the proof is complete.
   */
  provesTruncation(model: ModelConfigData, signs: number): boolean {
    const count = this.#truncated.get(keyOf(model)) ?? 0
    const next = count < 2 ? signs && count + signs : count
    this.#truncated.set(keyOf(model), next)
    return count < 2 && next >= 2
  }
}

function keyOf(model: ModelConfigData): string {
  return JSON.stringify([model.provider, model.baseURL ?? '', model.model])
}
