import { canonicalJson } from '../lib/canonical-json.ts'
import { isRecord } from '../lib/shape.ts'
import type { McpKeyStore } from './auth/options.ts'
import type { McpToolInfo } from './tool-info.ts'

/** The definitions of one server's tools as they were when each was first seen, or accepted. */
export interface Pins {
  /** Undefined: it wasn't seen before. */
  get(name: string): McpToolInfo | undefined
  set(info: McpToolInfo): void
  /** Keeps them for the next page. */
  save(): Promise<void>
}

/** By the server's address. What can't be read back counts as not seen: it was kept by the app's own store. */
export async function loadPins(store: McpKeyStore | undefined, address: string): Promise<Pins> {
  const key = `offstage-mcp-pins:${address}`
  const pinned = new Map<string, McpToolInfo>(entriesOf(await store?.getItem(key)))
  let isChanged = false
  return {
    get: (name) => pinned.get(name),
    set(info) {
      const known = pinned.get(info.name)
      if (known && isSame(known, info)) return
      pinned.set(info.name, info)
      isChanged = true
    },
    async save() {
      if (!isChanged) return
      isChanged = false
      await store?.setItem(key, JSON.stringify([...pinned]))
    },
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
