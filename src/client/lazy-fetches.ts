import type { ModelFetch, ModelFetchHead } from '../protocol/model-fetch.ts'
import type { PageFetches } from './page-fetches.ts'
import { lost } from './worker-lost.ts'

/** The page's requests for its worker: few pages make any, and load what makes them with the first. */
export class LazyFetches {
  #loading: Promise<PageFetches> | undefined

  /** The worker is gone: what isn't under way yet never will be. */
  abortAll(): void {
    this.#loading?.then((fetches) => fetches.abortAll()).catch(() => {})
    this.#loading = undefined
  }

  async fetchModel(request: ModelFetch): Promise<ModelFetchHead> {
    const loading = (this.#loading ??= import('./page-fetches.ts').then(
      ({ PageFetches }) => new PageFetches(),
    ))
    const fetches = await loading.catch((thrown) => {
      this.#loading = undefined
      throw thrown
    })
    if (loading !== this.#loading) throw lost()
    return fetches.fetchModel(request)
  }
}
