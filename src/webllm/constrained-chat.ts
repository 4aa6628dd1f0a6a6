import type { JsonObject } from '../protocol/json.ts'
import { asRecord, asText } from '../providers/core/read-json.ts'
import type { MLCEngineInstance, WebLLMRequest } from './webllm-module.ts'

/** Asks engines for constrained output, until one refuses the constraint. */
export class ConstrainedChat {
  readonly #unable = new WeakSet<MLCEngineInstance>()

  /**
   * The chunks of one answer. An engine that refuses the constraint, before its first chunk, is asked
   * again without it, and never again with one. Other errors are thrown on.
   */
  async *chunks(
    engine: MLCEngineInstance,
    request: WebLLMRequest,
    constraint: JsonObject | undefined,
  ): AsyncGenerator<unknown> {
    if (constraint && !this.#unable.has(engine)) {
      let begun = false
      try {
        const constrained = { ...request, response_format: constraint }
        for await (const chunk of await engine.chat.completions.create(constrained)) {
          begun = true
          yield chunk
        }
        return
      } catch (thrown) {
        if (begun || !isRefusal(thrown)) throw thrown
        this.#unable.add(engine)
      }
    }
    yield* await engine.chat.completions.create(request)
  }
}

/** WebLLM's errors about `response_format` name it in their name or message; XGrammar's are wrapped. */
function isRefusal(thrown: unknown): boolean {
  const { name, message } = asRecord(thrown) ?? {}
  return /response.?format|structural.?tag|grammar/i.test(
    `${asText(name) ?? ''} ${asText(message) ?? ''}`,
  )
}
