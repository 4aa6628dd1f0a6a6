import { OffstageError } from './error.ts'

/** What was stored is gone: by the person, by the browser for want of room, or by a script. */
export function storageCleared(): OffstageError {
  return new OffstageError(
    'storage-cleared',
    'The stored conversations are gone: the data of this site was cleared.',
  )
}
