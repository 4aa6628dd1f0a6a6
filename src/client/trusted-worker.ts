import { pageRegistry, type StartTrusted } from './page-registry.ts'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string }
  isScriptURL(value: unknown): boolean
}

/**
 * Calls a function that makes a worker by the page's `Worker`. Where there are Trusted Types, the address
 * passes the policy `offstage`. The default worker's address stands in an expression that bundlers look
 * for and rewrite, and nowhere else: so what that expression passes to `Worker` is taken.
 *
 * A policy can be created once, so copies of the package share what it does. They share no function that
 * makes an address trusted: a worker comes out, not its address.
 */
export const startTrusted: StartTrusted = (make) => {
  const registry = pageRegistry()
  const start = (registry.startWorker ??= createStart())
  return start ? start(make) : make()
}

/** Undefined: there are no Trusted Types, or the page's CSP doesn't allow the policy. */
function createStart(): StartTrusted | undefined {
  const { trustedTypes, Worker }: typeof globalThis & { readonly trustedTypes?: TrustedTypes } =
    globalThis
  if (!trustedTypes) return undefined
  // What the policy accepts: the one address that is being started.
  let asked: string
  const createScriptURL = (url: string): string => {
    if (url === asked) return url
    throw new TypeError(url)
  }
  try {
    const policy = trustedTypes.createPolicy('offstage', { createScriptURL })
    const trust = policy.createScriptURL.bind(policy)
    const toTrusted = (url: string | URL): string | URL =>
      trustedTypes.isScriptURL(url) ? url : trust((asked = String(url)))
    return (make) =>
      // Another `Worker` than the one of the beginning isn't handed what it could keep.
      globalThis.Worker === Worker ? withAddress(make, toTrusted, Worker) : make()
  } catch {
    return undefined
  }
}

/**
 * Calls a function that makes a worker, and changes the address that it passes to `Worker`: only while the
 * function runs, and nothing else does meanwhile, a stand-in is in its place.
 */
export function withAddress<Made>(
  make: () => Made,
  change: (url: string | URL) => string | URL,
  Worker: typeof globalThis.Worker = globalThis.Worker,
): Made {
  if (!Worker) return make()
  const standIn: typeof Worker = new Proxy(Worker, {
    construct: (_, [url, options], target) =>
      target === standIn
        ? new Worker(change(url as string), options as WorkerOptions)
        : (Reflect.construct(Worker, [url, options], target) as Worker),
  })
  Reflect.set(globalThis, 'Worker', standIn)
  try {
    return make()
  } finally {
    Reflect.set(globalThis, 'Worker', Worker)
  }
}
