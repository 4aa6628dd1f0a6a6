import { canonicalJson } from '../lib/canonical-json.ts'
import { isRecord } from '../lib/shape.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { McpKeyStore } from './auth/options.ts'
import type { McpToolInfo } from './tool-info.ts'

/**
 * The definitions of one server's tools as they were when each was first seen, or accepted: one for each name that a
 * model knows a tool by, whatever the server calls it.
 */
export interface Pins {
  /** Undefined: no tool of this name of the model's was seen before. */
  get(modelName: string): McpToolInfo | undefined
  set(modelName: string, info: McpToolInfo): void
  /** Keeps them for the next page. */
  save(): Promise<void>
}

interface PinOptions {
  readonly store: McpKeyStore | undefined
  /** Of the server. */
  readonly address: string
  /** What a model knows a tool of the server by; null: by nothing. */
  nameOf(serverName: string): string | null
}

/**
 * Rejects with `storage-failed` or `storage-full` where the store does not work. What can't be read back counts as not seen: it was
 * kept by the app's own store.
 */
export async function loadPins({ store, address, nameOf }: PinOptions): Promise<Pins> {
  const key = `offstage-mcp-pins:${address}`
  const kept = await asked(address, () => store?.getItem(key))
  // Kept by the server's names: a prefix may be another one on the next page.
  const pinned = new Map(entriesOf(kept).map(([name, info]) => [nameOf(name) ?? name, info]))
  let changes = 0
  let saved = 0
  return {
    get: (name) => pinned.get(name),
    set(name, info) {
      const known = pinned.get(name)
      if (known && isSame(known, info)) return
      pinned.set(name, info)
      changes++
    },
    async save() {
      const until = changes
      if (until === saved) return
      const text = JSON.stringify([...pinned.values()].map((info) => [info.name, info]))
      await asked(address, () => store?.setItem(key, text))
      // What couldn't be saved is saved with what comes next.
      saved = until
    },
  }
}

/** The app's store may be full, or switched off. */
async function asked<Result>(address: string, ask: () => Result): Promise<Awaited<Result>> {
  try {
    return await ask()
  } catch (thrown) {
    const isFull = thrown instanceof DOMException && thrown.name === 'QuotaExceededError'
    throw new OffstageError(
      isFull ? 'storage-full' : 'storage-failed',
      `What is known of the tools of ${address} can't be kept: ${describeThrown(thrown)}`,
      { cause: thrown },
    )
  }
}

/** Equal in everything that a model is told, and that decides what is asked. */
export function isSame(one: McpToolInfo, other: McpToolInfo): boolean {
  return canonicalJson(one) === canonicalJson(other)
}

function entriesOf(text: string | null | undefined): [string, McpToolInfo][] {
  if (!text) return []
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value)) return []
    return value.filter(
      (entry): entry is [string, McpToolInfo] =>
        Array.isArray(entry) && typeof entry[0] === 'string' && isRecord(entry[1]),
    )
  } catch {
    return []
  }
}
