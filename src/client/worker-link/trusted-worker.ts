import { pageRegistry, type StartTrusted } from '../page-life/page-registry.ts'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string }
  isScriptURL(value: unknown): boolean
}

/**
 * Calls a function that makes a worker with the page's `Worker`. Under Trusted Types, the address passes the policy
 * `offstage`. The default worker's address exists only in an expression that bundlers rewrite, so it is intercepted
 * when that expression calls `Worker`.
 *
 * A policy can be created only once, so copies of the package share this function. It returns a worker and never a
 * trusted address, which other code could misuse.
 */
export const startTrusted: StartTrusted = (make) =>
  (pageRegistry().startWorker ??= createStart())(make)

function createStart(): StartTrusted {
  const { trustedTypes, Worker }: typeof globalThis & { readonly trustedTypes?: TrustedTypes } =
    globalThis
  // The policy accepts only the address that is being started.
  let expectedUrl: string
  let trust: ((url: string) => string) | undefined
  const toTrusted = (url: string | URL): string | URL => {
    if (!trustedTypes || trustedTypes.isScriptURL(url)) return url
    try {
      // Created on first use, and tried only once: the browser reports each attempt that the page's CSP doesn't allow.
      if (!trust) {
        const policy = trustedTypes.createPolicy('offstage', {
          createScriptURL(url) {
            if (url === expectedUrl) return url
            throw new TypeError(url)
          },
        })
        trust = policy.createScriptURL.bind(policy)
      }
    } catch {
      trust = String
    }
    return trust((expectedUrl = String(url)))
  }
  return (make) =>
    // If other code has replaced `Worker`, the replacement must not get a trusted address, which it could keep.
    globalThis.Worker === Worker ? withAddress(make, toTrusted) : make()
}

/**
 * Calls a function that makes a worker, and changes the address that it passes to `Worker`. A stand-in replaces
 * `Worker` only until the function returns, so no other code gets it.
 */
export function withAddress<Made>(
  make: () => Made,
  change: (url: string | URL) => string | URL,
): Made {
  const { Worker } = globalThis
  if (!Worker) return make()
  const standIn: typeof Worker = new Proxy(Worker, {
    construct: (_, args: ConstructorParameters<typeof Worker>, target) =>
      target === standIn
        ? new Worker(change(args[0]), args[1])
        : (Reflect.construct(Worker, args, target) as Worker),
  })
  Reflect.set(globalThis, 'Worker', standIn)
  try {
    return make()
  } finally {
    // The function may have replaced `Worker` itself.
    if (globalThis.Worker === standIn) Reflect.set(globalThis, 'Worker', Worker)
  }
}
