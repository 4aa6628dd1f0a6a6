import type { Store } from '../worker/store/store.ts'

/**
 * The store, as a worker has it that dies when the signal aborts: from then on it gets no answer, not even to what it has
 * asked, and hears of no change. What reached the store before stays there.
 */
export function mortalStore(store: Store, death: AbortSignal): Store {
  const alive = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    if (death.aborted) return never()
    try {
      return await ask()
    } finally {
      if (death.aborted) await never()
    }
  }
  return {
    claim: (...asked) => alive(() => store.claim(...asked)),
    append: (...asked) => alive(() => store.append(...asked)),
    keepDraft: (...asked) => alive(() => store.keepDraft(...asked)),
    draftOf: (...asked) => alive(() => store.draftOf(...asked)),
    place: (...asked) => alive(() => store.place(...asked)),
    read: (...asked) => alive(() => store.read(...asked)),
    get: (...asked) => alive(() => store.get(...asked)),
    list: (...asked) => alive(() => store.list(...asked)),
    rename: (...asked) => alive(() => store.rename(...asked)),
    mark: (...asked) => alive(() => store.mark(...asked)),
    descendants: (...asked) => alive(() => store.descendants(...asked)),
    delete: (...asked) => alive(() => store.delete(...asked)),
    ...(store.follow && {
      follow: (onChange) => {
        const stop = store.follow?.((change) => death.aborted || onChange(change))
        return () => stop?.()
      },
    }),
    close: () => store.close(),
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined)
}
