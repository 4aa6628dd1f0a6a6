import { PROTOCOL_VERSION } from '../../protocol/api.ts'
import { OffstageError } from '../../protocol/error.ts'
import { disposed } from '../failures.ts'
import { StartFailure } from '../start-failure.ts'
import type { ConnectionHost, WorkerSource } from '../worker-start.ts'
import { addressOf, type Cause, shown, type StartKind } from './cause.ts'
import { findCause } from './find-cause.ts'
import { startError } from './start-error.ts'

export { untilGivenUp } from './until-given-up.ts'

/** All that is looked at, the waiting for servers included. */
const LOOKING_MS = 8000

export interface FailedAttempt {
  readonly failure: StartFailure
  /** What the inline worker's start threw, where that was tried, too. */
  readonly second?: unknown
  readonly source: WorkerSource
  /** Of the page's policies, since the start began; more may come. */
  readonly violations: readonly SecurityPolicyViolationEvent[]
  readonly host: ConnectionHost
}

/** What is being found out, so that a second call for the same failure doesn't begin anew. */
const findings = new WeakMap<StartFailure, Promise<Cause>>()

/**
 * Looks for the cause, and throws it: `worker-load-failed` with its `details.reason`, `protocol-mismatch`
 * when the worker speaks another version, or `disposed`.
 */
export async function fail({
  failure,
  second,
  source: { worker, workerUrl },
  violations,
  host: { signal },
}: FailedAttempt): Promise<never> {
  const watched = { violations, signal }
  const kind = worker ? 'function' : workerUrl ? 'url' : 'file'
  const finding = findings.get(failure) ?? look(failure, kind, watched)
  findings.set(failure, finding)
  if (second === undefined) throw startError(await finding)
  if (!(second instanceof StartFailure)) throw second
  const inline = await look(second, 'inline', watched)
  throw startError(await finding, inline)
}

/** The cause; `disposed` as soon as nobody needs it. */
async function look(
  failure: StartFailure,
  kind: StartKind,
  { violations, signal }: Pick<FailedAttempt, 'violations'> & { readonly signal: AbortSignal },
): Promise<Cause> {
  refuseOtherVersion(failure)
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, LOOKING_MS)
  signal.addEventListener('abort', end, over)
  if (signal.aborted) end()
  const url = addressOf(failure)
  const cause = await findCause({ kind, signs: failure, url, violations, signal: over.signal })
  clearTimeout(timer)
  if (signal.aborted) throw disposed()
  end()
  return { ...cause, facts: { ...(url && { url: shown(url) }), ...cause.facts } }
}

function refuseOtherVersion({ version }: StartFailure): void {
  if (version === undefined) return
  throw new OffstageError(
    'protocol-mismatch',
    `The worker speaks version ${version} and the page ${PROTOCOL_VERSION}: they come from different releases of offstage. Reload without the cache, or deploy both files together.`,
  )
}
