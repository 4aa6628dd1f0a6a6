import { serveEngine } from '../serve-engine.ts'
import {
  wllamaDefinition,
  type WllamaEngineOptions,
  type WllamaModule,
} from './wllama-definition.ts'

/** Options of `serveWllama`. Apps with a bundler need none. */
export interface ServeWllamaOptions {
  /** Imports wllama from another place if its bare name can't be resolved (a page without a bundler). */
  readonly wllama?: () => Promise<WllamaModule>
}

/**
 * Turns the current worker into the engine of `wllama()`. Call it at the top of the worker's own file.
 * `@wllama/wllama` is imported when the first model is loaded.
 */
export function serveWllama({ wllama = importWllama }: ServeWllamaOptions = {}): void {
  serveEngine<WllamaEngineOptions>((options) => wllamaDefinition(options, wllama))
}

const importWllama = (): Promise<WllamaModule> => import('@wllama/wllama/esm/index.js')

export type { WllamaModule } from './wllama-definition.ts'
