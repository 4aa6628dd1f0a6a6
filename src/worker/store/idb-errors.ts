import { OffstageError, describeThrown } from '../../protocol/error.ts'

/**
 * Whether the browser refuses this page any database: in some private modes, in opaque origins, and with blocked
 * site data. Chromium reports the last as an `UnknownError`.
 */
export function isRefused(thrown: unknown): boolean {
  if (isNowhere(thrown)) return true
  if (!(thrown instanceof Error)) return false
  const { name, message } = thrown
  return (
    name === 'InvalidStateError' ||
    (name === 'UnknownError' && message.includes('denied permission'))
  )
}

/** Whether no page or worker of this origin can have a database. */
export function isNowhere(thrown: unknown): boolean {
  if (typeof indexedDB === 'undefined' || indexedDB === null) return true
  return thrown instanceof Error && thrown.name === 'SecurityError'
}

export function olderInTheWay(): OffstageError {
  return inTheWay('does not open: another tab of this site holds an older one')
}

export function transactionInTheWay(): OffstageError {
  return inTheWay('does not answer: a transaction of another tab or script of this site holds it')
}

function inTheWay(what: string): OffstageError {
  return blocked(`The database ${what}. It is used as soon as that tab is reloaded or closed.`)
}

export function unanswered(): OffstageError {
  return blocked('The browser has not opened the database yet: another tab may be in the way.')
}

function blocked(message: string): OffstageError {
  return new OffstageError('storage-blocked', message, { retryable: true })
}

export function superseded(): OffstageError {
  return new OffstageError(
    'storage-newer',
    'A newer Offstage in another tab changes the database: reload the page.',
    { retryable: true },
  )
}

export function storageError(error: unknown): OffstageError {
  if (OffstageError.is(error)) return error
  const name = error instanceof Error ? error.name : 'Error'
  const options = { cause: error, retryable: true, details: { name } }
  switch (name) {
    case 'QuotaExceededError':
      return new OffstageError(
        'storage-full',
        "The browser's storage quota is used up: free space, or export and delete conversations.",
        options,
      )
    case 'VersionError':
      return new OffstageError(
        'storage-newer',
        'A newer Offstage made the database: reload the page or update the package.',
        options,
      )
    case 'DataCloneError':
      return new OffstageError('internal', `This can't be stored: ${describeThrown(error)}`)
    case 'ConstraintError':
      return new OffstageError('conversation-broken', 'A row is in the way that no record counts.')
    default:
      return new OffstageError(
        'storage-failed',
        `IndexedDB failed (${name}): ${describeThrown(error)}`,
        options,
      )
  }
}
