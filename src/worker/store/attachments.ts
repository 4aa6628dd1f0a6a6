import type { NewRow } from '../../protocol/fact.ts'
import { sha256 } from '../../lib/sha256.ts'
import { isRecord } from '../../lib/shape.ts'
import type { Write } from './idb-connection.ts'

/** Shorter files stay in their rows. Characters of base64. */
const MIN_LENGTH = 4096
/** Depth to which rows are searched for files. Only a tool's own JSON is deeper. */
const MAX_DEPTH = 8

/** File contents, each with the hash under which the store keeps it. */
export type Contents = ReadonlyMap<string, string>

type Path = readonly (string | number)[]

/** Path in a row where a file's content was taken out, and the hash of that content. */
interface Gap {
  readonly path: Path
  readonly hash: string
}

/**
 * Hashes the files in the rows (SHA-256), so that the store keeps each content only once. Empty without `crypto.subtle`
 * (plain HTTP). Call it before a transaction, which would end meanwhile.
 */
export async function findContents(rows: readonly NewRow[]): Promise<Contents> {
  const hashes = new Map<string, string>()
  if (globalThis.crypto?.subtle === undefined) return hashes
  const data = new Set<string>()
  for (const row of rows) eachFile(row, [], (file) => data.add(file.data))
  for (const content of data) hashes.set(content, await sha256(content))
  return hashes
}

/** The row as it is stored: without file contents, which have keys of their own. */
export function packRow<R extends object>(row: R, contents: Contents): R {
  // An imported row must not refer to files in this store.
  const { apart: _foreign, ...packed } = row as R & { apart?: unknown }
  if (contents.size === 0) return packed as unknown as R
  const apart: Gap[] = []
  eachFile(packed, [], (file, path) => {
    const hash = contents.get(file.data)
    if (hash !== undefined) apart.push({ path, hash })
  })
  if (apart.length === 0) return packed as unknown as R
  return {
    ...apart.reduce((copy, { path }) => clearedAt(copy, path), packed),
    apart,
  } as unknown as R
}

/** Sets null at a path of a copy. Copies only what is on the path: files have megabytes. */
function clearedAt<Value>(value: Value, [key, ...rest]: Path): Value {
  if (key === undefined) return null as Value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Value
  const name = key as keyof Value
  copy[name] = clearedAt(copy[name], rest)
  return copy
}

/** Restores packed rows. If a file is gone, its place stays null, and the row counts as damaged. */
export async function unpackRows(
  stored: readonly unknown[],
  tx: { objectStore(name: 'attachments'): { get(hash: string): Promise<unknown> } },
): Promise<readonly unknown[]> {
  const hashes = new Set(stored.flatMap((row) => gapsOf(row).map(({ hash }) => hash)))
  if (hashes.size === 0) return stored
  const files = tx.objectStore('attachments')
  const found = new Map<string, unknown>(
    await Promise.all([...hashes].map(async (hash) => [hash, await files.get(hash)] as const)),
  )
  for (const row of stored)
    for (const { path, hash } of gapsOf(row)) setAt(row, path, found.get(hash))
  return stored.map((row) => {
    if (gapsOf(row).length === 0) return row
    const { apart: _filled, ...restored } = row as { apart: unknown }
    return restored
  })
}

/** Stores missing contents, and notes that the conversation uses them. */
export async function keepContents(
  tx: Write,
  conversationId: string,
  contents: Contents,
): Promise<void> {
  const files = tx.objectStore('attachments')
  await Promise.all(
    [...contents].map(async ([content, hash]) => {
      const key = await files.getKey(hash)
      await Promise.all([
        ...(key === undefined ? [files.put(content, hash)] : []),
        files.put(true, ['of', conversationId, hash]),
        files.put(true, ['in', hash, conversationId]),
      ])
    }),
  )
}

/** Ends these conversations' use of contents, and deletes contents that no other conversation uses. */
export async function releaseContents(
  tx: Write,
  conversationIds: readonly string[],
): Promise<void> {
  const files = tx.objectStore('attachments')
  const hashes = new Set<string>()
  for (const id of conversationIds)
    for (const key of await files.getAllKeys(keyRange('of', id))) {
      const hash = String(key[2])
      hashes.add(hash)
      await Promise.all([files.delete(key), files.delete(['in', hash, id])])
    }
  for (const hash of hashes)
    if ((await files.getKey(keyRange('in', hash))) === undefined) await files.delete(hash)
}

/**
 * Range of all keys that begin with these two parts. IndexedDB sorts arrays after strings, so `[]` is the upper bound.
 */
function keyRange(kind: 'of' | 'in', id: string): IDBKeyRange {
  return IDBKeyRange.bound([kind, id], [kind, id, []])
}

function eachFile(
  value: unknown,
  path: Path,
  visit: (file: { readonly data: string }, path: Path) => void,
): void {
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return
  const { type, data } = value as { type?: unknown; data?: unknown }
  if (type === 'file' && typeof data === 'string' && data.length >= MIN_LENGTH)
    return visit({ data }, [...path, 'data'])
  for (const [key, entry] of Object.entries(value))
    if (typeof entry === 'object')
      eachFile(entry, [...path, Array.isArray(value) ? Number(key) : key], visit)
}

function gapsOf(row: unknown): readonly Gap[] {
  const apart = isRecord(row) ? row['apart'] : undefined
  return Array.isArray(apart) ? apart.filter(isGap) : []
}

function isGap(value: unknown): value is Gap {
  return isRecord(value) && Array.isArray(value['path']) && typeof value['hash'] === 'string'
}

/** Puts content at a path, if the row has that path. A damaged row may refer to any path. */
function setAt(row: unknown, path: Path, content: unknown): void {
  const [lastKey] = path.slice(-1)
  let target = row
  for (const key of path.slice(0, -1)) {
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return
    target = (target as Record<string | number, unknown>)[key]
  }
  if (
    typeof target === 'object' &&
    target !== null &&
    lastKey !== undefined &&
    Object.hasOwn(target, lastKey)
  )
    (target as Record<string | number, unknown>)[lastKey] = content ?? null
}
