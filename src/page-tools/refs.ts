/** Role and name of a ref's element, to match a stale ref with a replacement. */
export interface RefMemory {
  readonly role: string
  readonly name: string
}

interface Entry {
  readonly target: WeakRef<Element>
  memory: RefMemory
}

/** Number of entries beyond which those of garbage-collected elements are dropped. */
const MAX_ENTRIES = 5000

const refs = new WeakMap<Element, string>()
const entries = new Map<string, Entry>()
let count = 0

/** The element's ref: the same for the element's lifetime, never reused for another element. */
export function ensureRef(element: Element): string {
  const existing = refs.get(element)
  if (existing) return existing
  count += 1
  const ref = `e${count}`
  refs.set(element, ref)
  entries.set(ref, { target: new WeakRef(element), memory: { role: '', name: '' } })
  if (entries.size > MAX_ENTRIES && count % 500 === 0) dropCollected()
  return ref
}

/** The element's ref, if it has one already. */
export function knownRef(element: Element): string | undefined {
  return refs.get(element)
}

export function rememberRef(element: Element, memory: RefMemory): void {
  const entry = entries.get(refs.get(element) ?? '')
  if (entry) entry.memory = memory
}

/** Returns `undefined` if no such ref was ever assigned. The element may be detached. */
export function lookUpRef(
  ref: string,
): { readonly element: Element | undefined; readonly memory: RefMemory } | undefined {
  const entry = entries.get(ref)
  return entry && { element: entry.target.deref(), memory: entry.memory }
}

/** Models write refs in several ways: `e12`, `ref=e12`, `[ref=e12]`, `@e12`. */
export function parseRef(text: string): string | null {
  return /^\s*[[@#]?(?:ref\s*[=:]\s*)?(e\d+)\]?\s*$/i.exec(text)?.[1]?.toLowerCase() ?? null
}

function dropCollected(): void {
  for (const [ref, { target }] of entries) if (!target.deref()) entries.delete(ref)
}
