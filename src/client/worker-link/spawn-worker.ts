/** The interface that Offstage needs of a worker: a `Worker`, or anything that passes messages like one. */
export interface WorkerLike {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: string, listener: (event: Event) => void): void
  removeEventListener(type: string, listener: (event: Event) => void): void
  start?(): void
  terminate?(): void
}

/** A `TrustedScriptURL`. Declared here because some versions of TypeScript's DOM types lack it. */
export interface TrustedScriptAddress {
  toString(): string
  toJSON(): string
}

/** Address of a worker file. Pages with Trusted Types pass a `TrustedScriptURL`. */
export type WorkerAddress = string | URL | TrustedScriptAddress

/**
 * Starts the default worker. Bundlers look for this expression in the built file, where `worker.js` is next to this
 * module. Offstage's own build must not change the expression.
 */
export function spawnWorker(): Worker {
  return new Worker(new URL(/* @vite-ignore */ './worker.js', import.meta.url), { type: 'module' })
}

/** Address of the part that the worker loads to parse tool calls in text. Bundlers look for this expression, too. */
export function partAddress(): string | undefined {
  try {
    return new URL(/* @vite-ignore */ './worker-action.js', import.meta.url).href
  } catch {
    // Single-file bundles may lack `import.meta.url`.
    return
  }
}

export function spawnWorkerAt(url: WorkerAddress): Worker {
  return new Worker(url as string, { type: 'module' })
}
