// oxlint-disable-next-line import/default -- Vite makes it: the address of the worker's file.
import address from './agent-worker.ts?worker&url'
import { CUT_NETWORK, MEND_NETWORK } from './messages.ts'

/** The agent's worker, to be killed or cut off while it works. */
export interface DemoWorker {
  /** For `createAgent({ worker })`: the first one, and each that takes the place of a dead one. */
  readonly make: () => Worker
  kill(): void
  setOffline(isOffline: boolean): void
}

export function createDemoWorker(): DemoWorker {
  let worker: Worker | undefined
  let isOffline = false
  const tell = (): void => worker?.postMessage(isOffline ? CUT_NETWORK : MEND_NETWORK)
  return {
    make() {
      worker = new Worker(trusted(address), { type: 'module' })
      tell()
      return worker
    },
    kill: () => worker?.terminate(),
    setOffline(next) {
      isOffline = next
      tell()
    },
  }
}

interface Policy {
  createScriptURL(url: string): string
}

declare global {
  interface Window {
    /** Not in all browsers. */
    readonly trustedTypes?: { createPolicy(name: string, rules: Policy): Policy }
  }
}

let policy: Policy | undefined

/** The address as the page's policy wants it, which allows no other. */
function trusted(url: string): string {
  policy ??= window.trustedTypes?.createPolicy('kiln', {
    createScriptURL(asked) {
      if (asked !== address) throw new TypeError(`No script of this page: ${asked}`)
      return asked
    },
  })
  return policy?.createScriptURL(url) ?? url
}
