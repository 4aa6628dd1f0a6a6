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
export const startTrusted: StartTrusted = (make) =>
  (pageRegistry().startWorker ??= createStart())(make)

function createStart(): StartTrusted {
  const { trustedTypes, Worker }: typeof globalThis & { readonly trustedTypes?: TrustedTypes } =
    globalThis
  // What the policy accepts: the one address that is being started.
  let asked: string
  let trust: ((url: string) => string) | undefined
  const toTrusted = (url: string | URL): string | URL => {
    if (!trustedTypes || trustedTypes.isScriptURL(url)) return url
    try {
      // Only now, and once: where the page's CSP doesn't allow the policy, creating it is reported.
      if (!trust) {
        const policy = trustedTypes.createPolicy('offstage', {
          createScriptURL(url) {
            if (url === asked) return url
            throw new TypeError(url)
          },
        })
        trust = policy.createScriptURL.bind(policy)
      }
    } catch {
      trust = String
    }
    return trust((asked = String(url)))
  }
  return (make) =>
    // Another `Worker` than the one of the beginning isn't handed what it could keep.
    globalThis.Worker === Worker ? withAddress(make, toTrusted) : make()
}

/**
 * Calls a function that makes a worker, and changes the address that it passes to `Worker`: only while the
 * function runs, and nothing else does meanwhile, a stand-in is in its place.
 */
export function withAddress<Made>(
  make: () => Made,
  change: (url: string | URL) => string | URL,
): Made {
  const { Worker } = globalThis
  if (!Worker) return make()
  const standIn: typeof Worker = new Proxy(Worker, {
    construct: (_, made: ConstructorParameters<typeof Worker>, target) =>
      target === standIn
        ? new Worker(change(made[0]), made[1])
        : (Reflect.construct(Worker, made, target) as Worker),
  })
  Reflect.set(globalThis, 'Worker', standIn)
  try {
    return make()
  } finally {
    // The function may have put one of its own there.
    if (globalThis.Worker === standIn) Reflect.set(globalThis, 'Worker', Worker)
  }
}
