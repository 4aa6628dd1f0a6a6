import { OffstageError } from './error.ts'

/** Returns the error for lost data: a person, a script or the browser (for lack of space) deleted the storage. */
export function storageCleared(): OffstageError {
  return new OffstageError(
    'storage-cleared',
    'The stored conversations are gone: the data of this site was cleared.',
  )
}
