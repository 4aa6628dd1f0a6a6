import type { JsonObject } from '../protocol/json.ts'
import { asRecord, asText } from '../providers/core/read-json.ts'
import type { MLCEngineInstance, WebLLMRequest } from './webllm-module.ts'

/** Requests constrained output from each engine until that engine refuses the constraint. */
export class ConstrainedChat {
  readonly #unable = new WeakSet<MLCEngineInstance>()

  /**
   * Streams the chunks of one answer. If an engine refuses the constraint before its first chunk, the request is
   * repeated without it. That engine gets no constraint again. Other errors are rethrown.
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

/** WebLLM's errors name `response_format` in their name or message. XGrammar's errors are wrapped. */
function isRefusal(thrown: unknown): boolean {
  const { name, message } = asRecord(thrown) ?? {}
  return /response.?format|structural.?tag|grammar/i.test(
    `${asText(name) ?? ''} ${asText(message) ?? ''}`,
  )
}
