import { OffstageError } from '../../../../../src/protocol/error.ts'
import { sleep } from '../../../../../src/lib/sleep.ts'
import type { Store, StoreChange } from '../../../../../src/worker/store/store.ts'

/** A way to a store that can be cut. */
export interface Line {
  readonly store: Store
  /** `answers`: what is asked for happens, and nobody is told. */
  cut: 'no' | 'all' | 'answers'
  /** Each way. Milliseconds. */
  latency: number
  restore(): void
}

export function lineTo(store: Store): Line {
  const listeners = new Set<(change: StoreChange) => void>()
  const line: Line = {
    cut: 'no',
    latency: 0,
    restore: () => {
      line.cut = 'no'
      for (const listener of listeners) listener({ conversationId: null, lastSeq: 0 })
    },
    store: new Proxy(store, {
      get: (_store, name: keyof Store) => {
        if (name === 'follow')
          return (onChange: (change: StoreChange) => void) => {
            listeners.add(onChange)
            return store.follow?.((change) => line.cut !== 'no' || onChange(change))
          }
        const method: unknown = store[name]
        if (typeof method !== 'function') return method
        return async (...given: unknown[]): Promise<unknown> => {
          const isLost = line.cut !== 'no'
          const { latency } = line
          if (latency > 0) await sleep(latency)
          const answer: unknown = line.cut === 'all' ? null : Reflect.apply(method, store, given)
          if (!isLost) {
            if (latency === 0) return answer
            await Promise.resolve(answer).catch(() => undefined)
            await sleep(latency)
            return answer
          }
          await Promise.resolve(answer).catch(() => undefined)
          throw new OffstageError('storage-offline', 'Out of reach.', { retryable: true })
        }
      },
    }),
  }
  return line
}
