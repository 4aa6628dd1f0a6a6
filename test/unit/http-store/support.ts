import type { CustomStorage, StorageState } from '../../../src/protocol/conversation.ts'
import type { NewRow } from '../../../src/protocol/fact.ts'
import { httpStore, type HttpStoreOptions } from '../../../src/http-store/index.ts'
import { PageVisibilityTarget } from '../../../src/worker/store/stores.ts'
import type { Append, Store } from '../../../src/worker/start-worker.ts'

let ids = 0

/** Another one each time. */
export function newId(prefix = 'id'): string {
  return `${prefix}-${(ids += 1)}`
}

/** A store of a tenant, as a browser of its own opens it; with the states that it has reported. */
export async function openHttpStore(
  url: string,
  {
    tenant = 'ann',
    device = newId('device'),
    visibility = new PageVisibilityTarget(),
    ...more
  }: Partial<HttpStoreOptions> & {
    tenant?: string
    device?: string
    visibility?: PageVisibilityTarget
  } = {},
): Promise<Store & { readonly states: StorageState['mode'][] }> {
  const states: StorageState['mode'][] = []
  const definition = httpStore({ url, headers: () => ({ 'x-tenant': tenant }), ...more })
  const storage: CustomStorage = { type: 'http', device }
  const report = ({ mode }: StorageState): void => void states.push(mode)
  const store = await definition.open(storage, report, visibility)
  return Object.assign(store, { states })
}

export function started(runId: string, text = 'Hello'): NewRow {
  return {
    type: 'run-started',
    runId,
    at: 5,
    parentId: null,
    message: { id: newId('message'), parts: [{ type: 'text', text }] },
    limits: { maxSteps: 10, retries: 3 },
  }
}

export function ended(runId: string): NewRow {
  return { type: 'run-ended', runId, at: 6, end: { outcome: 'completed' } }
}

export function appendOf(epoch: number, ...rows: readonly NewRow[]): Append {
  return { conversationId: 'c', epoch, appendId: newId('append'), order: (ids += 1), rows }
}
