import { canonicalJson } from '../lib/canonical-json.ts'
import { isRecord } from '../lib/shape.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { McpKeyStore } from './auth/options.ts'
import type { McpToolInfo } from './tool-info.ts'

/**
 * The definitions of one server's tools when first seen, or last accepted. There is one for each name that the model
 * knows, whatever the server calls the tool.
 */
export interface Pins {
  /** Returns the pinned definition. Undefined: no tool with this model name was seen before. */
  get(modelName: string): McpToolInfo | undefined
  set(modelName: string, info: McpToolInfo): void
  /** Stores the definitions for the next page. */
  save(): Promise<void>
}

interface PinOptions {
  readonly store: McpKeyStore | undefined
  /** Address of the server. */
  readonly address: string
  /** Model name for a tool of the server; null if there is none. */
  nameOf(serverName: string): string | null
}

/**
 * Loads the stored definitions. Rejects with `storage-failed` or `storage-full` if the store doesn't work. Unreadable
 * entries count as not seen, because they come from the app's own store.
 */
export async function loadPins({ store, address, nameOf }: PinOptions): Promise<Pins> {
  const key = `offstage-mcp-pins:${address}`
  const kept = await asked(address, () => store?.getItem(key))
  // Stored under the server's names, because the next page may use another prefix.
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
      // Not reached if storing fails, so the next `save()` includes these changes.
      saved = until
    },
  }
}

/** Calls the app's store, which may be full or disabled. */
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

/** Whether two definitions are equal in every field. */
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
