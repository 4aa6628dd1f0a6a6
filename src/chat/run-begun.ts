import type { Run } from '../index.ts'
import type { Words } from './words/words.ts'

/** Resolves once a run has begun, or waits for room in the storage. Rejects if it was refused or aborted before. */
export async function runBegun(run: Run): Promise<void> {
  for await (const event of run) {
    if (event.type !== 'run-end') return
    const { result } = event
    if (result.outcome === 'failed') throw new NotBegun(result.error.code, result.error.message)
    if (result.outcome === 'aborted') throw new NotBegun(result.reason)
    return
  }
}

class NotBegun extends Error {
  readonly code: string

  constructor(code: string, message = '') {
    super(message)
    this.code = code
  }
}

/** Creates the error that says why something was not sent. */
export function notSent(thrown: unknown, words: Words): Error {
  const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown }
  const why = code === 'disposed' ? words.disposed : typeof message === 'string' ? message : ''
  return new Error(`${words.unsent} ${why}`.trim(), { cause: thrown })
}
