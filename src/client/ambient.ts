import { reportThrown } from './failures.ts'
import type { AmbientNotice } from './worker-link.ts'

/** What an agent tells outside its runs. */
export type AmbientEvent =
  | AmbientNotice
  | { readonly type: 'status'; readonly status: 'idle' | 'running'; readonly openRuns: number }

export type AmbientListener<Type extends AmbientEvent['type']> = (
  event: Extract<AmbientEvent, { readonly type: Type }>,
) => void

export interface Ambient {
  on<Type extends AmbientEvent['type']>(
    type: Type,
    listener: AmbientListener<Type>,
    options?: { readonly signal?: AbortSignal },
  ): () => void
  emit(event: AmbientEvent): void
  clear(): void
}

export function createAmbient(): Ambient {
  const listeners = new Set<(event: AmbientEvent) => void>()
  return {
    on(type, listener, { signal } = {}) {
      const hear = (event: AmbientEvent): void => {
        if (event.type === type) listener(event as Parameters<typeof listener>[0])
      }
      const off = (): void => void listeners.delete(hear)
      if (!signal?.aborted) listeners.add(hear)
      signal?.addEventListener('abort', off, { once: true })
      return off
    },
    emit(event) {
      for (const hear of listeners)
        try {
          hear(event)
        } catch (thrown) {
          reportThrown(thrown)
        }
    },
    clear: () => listeners.clear(),
  }
}
