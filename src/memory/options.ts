import { OffstageError } from '../protocol/error.ts'
import { databaseRows, volatileRows, type Rows } from './rows.ts'
import type { MemoryScope } from './scope.ts'

export interface MemoryOptions {
  /** Default `'origin'`. */
  readonly scope?: MemoryScope
  /** The database's name, or `'memory'`, which is lost with the page. Default `{ name: 'offstage' }`. */
  readonly storage?: { readonly name: string } | 'memory'
}

/** Most characters of an entry. */
export const MAX_TEXT = 2_000

export const DEFAULT_STORAGE = { name: 'offstage' }

/** Opens the storage that the options choose. Throws `invalid-config`. */
export function rowsFor({ scope = 'origin', storage = DEFAULT_STORAGE }: MemoryOptions): Rows {
  const isNamed = typeof scope === 'object' && typeof scope.agent === 'string' && scope.agent !== ''
  if (scope !== 'origin' && scope !== 'conversation' && !isNamed)
    throw badConfig("scope of a memory must be 'origin', 'conversation' or { agent: name }.")
  if (storage === 'memory') return volatileRows()
  if (typeof storage?.name !== 'string' || storage.name === '')
    throw badConfig("storage of a memory must be 'memory' or { name }.")
  return databaseRows(storage.name)
}

export function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}
