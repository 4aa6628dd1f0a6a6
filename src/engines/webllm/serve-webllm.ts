import { serveEngine } from '../serve-engine.ts'
import {
  webllmDefinition,
  type WebLLMEngineOptions,
  type WebLLMModule,
} from './webllm-definition.ts'

/** Options of `serveWebLLM`. Apps with a bundler need none. */
export interface ServeWebLLMOptions {
  /** Imports WebLLM from another place if its bare name can't be resolved (a page without a bundler). */
  readonly webllm?: () => Promise<WebLLMModule>
}

/**
 * Turns the current worker into the engine of `webllm()`. Call it at the top of the worker's own file.
 * `@mlc-ai/web-llm` is imported when the first model is loaded.
 */
export function serveWebLLM({ webllm = importWebLLM }: ServeWebLLMOptions = {}): void {
  serveEngine<WebLLMEngineOptions>((options) => webllmDefinition(options, webllm))
}

const importWebLLM = (): Promise<WebLLMModule> => import('@mlc-ai/web-llm')

export type { WebLLMModule } from './webllm-definition.ts'
