import type { StoreChange } from '../../worker/store/store.ts'
import type { Requirement } from './cases.ts'
import { appendOf, ended, holds, newId } from './expectations.ts'

/** Longest time until a change must be reported, even on a slow machine. Milliseconds. */
const LATE_MS = 20_000

export const FOLLOWS: Record<string, Requirement> = {
  'calls back after what another one has changed, until it is not wished': async ({
    store,
    other,
  }) => {
    if (!other.follow) return
    const changes: StoreChange[] = []
    const stop = other.follow((change) => changes.push(change))
    const isReported = (conversationId: string, lastSeq: number): boolean =>
      changes.some(
        (each) =>
          each.conversationId === null ||
          (each.conversationId === conversationId && each.lastSeq === lastSeq),
      )
    try {
      // Changes before the store follows aren't reported, so this writes until one is.
      let lastSeq = 0
      const { epoch } = await store.claim('c', 1)
      await until(async () => {
        const rows = await store.append(appendOf('c', epoch, [ended(newId('r'))]))
        lastSeq = rows.at(-1)?.seq ?? 0
        return changes.length > 0
      })
      changes.length = 0
      await store.append(appendOf('c', epoch, [ended('r')]))
      await until(() => isReported('c', lastSeq + 1))
      await store.rename('c', { title: 'A name', at: 9 })
      await until(() => isReported('c', lastSeq + 2))
      await store.delete('c')
      await until(() => isReported('c', 0))
    } finally {
      stop()
    }
    await store.claim('d', 1)
    const after = changes.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    holds(changes.length === after, 'nothing is called back afterwards')
  },
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + LATE_MS
  while (!(await isSo())) {
    holds(Date.now() < end, `a change is reported within ${LATE_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
