import type { AgentOptions } from '../../src/index.ts'
import { createInlineWorker } from '../../src/client/inline/inline-worker.ts'

/** Type as newer versions of TypeScript's DOM types declare it. */
interface TrustedScriptURL {
  toJSON(): string
  toString(): string
}
declare const trusted: TrustedScriptURL

export const sources = [
  { workerUrl: '/worker.js' },
  { workerUrl: new URL('https://shop.example/worker.js') },
  { workerUrl: trusted },
  { worker: () => new Worker('/worker.js') },
  { worker: createInlineWorker },
  // @ts-expect-error -- A number is no address.
  { workerUrl: 1 },
] satisfies readonly Pick<AgentOptions, 'worker' | 'workerUrl'>[]
