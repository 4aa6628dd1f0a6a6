import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { ModelFetch, ModelFetchHead, ModelFetchRefusal } from '../protocol/model-fetch.ts'

/** Model requests that this page makes for its worker. Few pages do, so the code is loaded on demand. */
export class ModelRequests {
  #gone = new AbortController()

  async fetchModel(request: ModelFetch): Promise<ModelFetchHead | ModelFetchRefusal> {
    const { signal } = this.#gone
    const { fetchModel } = await import('./page-fetches.ts').catch((cause: unknown) => {
      const message = `A part of offstage could not be loaded: ${describeThrown(cause)}`
      throw new OffstageError('network', message, { retryable: true, cause })
    })
    return fetchModel(request, signal)
  }

  /** Called when the worker is gone: nobody reads the answers any more. */
  abortAll(): void {
    this.#gone.abort()
    this.#gone = new AbortController()
  }
}
