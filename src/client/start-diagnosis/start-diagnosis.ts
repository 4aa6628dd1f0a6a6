import { PROTOCOL_VERSION } from '../../protocol/handshake.ts'
import { OffstageError } from '../../protocol/error.ts'
import { disposed, toOffstageError } from '../failures.ts'
import { StartFailure } from '../start-failure.ts'
import type { Connection, ConnectionHost, WorkerSource } from '../worker-start.ts'
import { addressOf, type Cause, shown, type StartKind } from './cause.ts'
import { findCause } from './find-cause.ts'
import { lookAtFile } from './look-at-file.ts'
import { startError } from './start-error.ts'

export { untilGivenUp } from './until-given-up.ts'

/** Time for the whole diagnosis, including waiting for servers. Milliseconds. */
const LOOKING_MS = 8000

export interface FailedAttempt {
  readonly source: WorkerSource
  /** Violations of the page's policies since the start began; more may come. */
  readonly violations: readonly SecurityPolicyViolationEvent[]
  readonly host: ConnectionHost
}

/**
 * Finds the cause of a failed start and throws it: `worker-load-failed` with its `details.reason`, `protocol-mismatch`
 * if the worker speaks another version, or `disposed`. If the inline worker has started, emits it as a warning, too.
 * `second`: the inline worker's start, which rejects with `failure` if none was tried.
 */
export async function report(
  failure: StartFailure,
  second: Promise<Connection>,
  attempt: FailedAttempt,
): Promise<never> {
  const { source, host } = attempt
  const kind = source.worker ? 'function' : source.workerUrl ? 'url' : 'file'
  const finding = look(failure, kind, attempt)
  finding.catch(() => {})
  const announce = ({ message }: { readonly message: string }): void =>
    host.onNotice({
      type: 'warning',
      code: 'worker-inlined',
      message: `The inline worker is used, because the worker's file did not start: ${message}`,
    })
  const inline = await second.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (inline === undefined) announce(await finding.catch(toOffstageError))
  if (inline === failure || inline === undefined) throw startError(await finding)
  if (!(inline instanceof StartFailure)) throw inline
  const other = await look(inline, 'inline', attempt)
  throw startError(await finding, other)
}

/**
 * Loads a worker's file past the browser's cache, and stores it there. False if that isn't possible: the address is
 * unknown or on another origin, or the server doesn't return the file.
 */
export async function loadAnew(failure: StartFailure, signal: AbortSignal): Promise<boolean> {
  const looking = AbortSignal.any([signal, AbortSignal.timeout(LOOKING_MS)])
  const look = await lookAtFile(addressOf(failure), looking, 'reload')
  return look.type === 'answer' && look.text !== ''
}

/** Returns the cause. Throws `disposed` as soon as nobody needs it. */
async function look(
  failure: StartFailure,
  kind: StartKind,
  { violations, host: { signal } }: FailedAttempt,
): Promise<Cause> {
  if (failure.otherVersion !== undefined) throw mismatch(failure.otherVersion)
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, LOOKING_MS)
  signal.addEventListener('abort', end, over)
  if (signal.aborted) end()
  const url = addressOf(failure)
  const cause = await findCause({ kind, failure, url, violations, signal: over.signal })
  clearTimeout(timer)
  if (signal.aborted) throw disposed()
  end()
  return {
    ...cause,
    thrown: failure.thrown,
    details: { ...(url && { url: shown(url) }), ...cause.details },
  }
}

function mismatch(other: number | OffstageError): OffstageError {
  if (typeof other !== 'number') return other
  return new OffstageError(
    'protocol-mismatch',
    `The worker speaks version ${other} and the page ${PROTOCOL_VERSION}: they come from different releases of offstage. Reload without the cache, or deploy both files together.`,
  )
}
