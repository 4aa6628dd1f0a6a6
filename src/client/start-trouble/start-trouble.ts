import { PROTOCOL_VERSION } from '../../protocol/api.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { disposed } from '../failures.ts'
import { StartFailure } from '../start-failure.ts'
import type {
  Connection,
  ConnectionHost,
  InlineWorker,
  Spawn,
  WorkerSource,
} from '../worker-start.ts'
import { addressOf, type Cause, hasWorkers, shown, type StartKind } from './cause.ts'
import { findCause } from './find-cause.ts'
import { startError } from './start-error.ts'

export { untilGivenUp } from './until-given-up.ts'

/** All that is looked at, the waiting for servers included. */
const LOOKING_MS = 8000

export interface Attempt {
  readonly source: WorkerSource
  readonly connectWorker: (spawn: Spawn, host: ConnectionHost) => Promise<Connection>
  readonly violations: readonly SecurityPolicyViolationEvent[]
  readonly host: ConnectionHost
}

/**
 * What is done when a worker has not started: the inline one takes the default one's place, and the cause
 * is looked for. Rejects with `worker-load-failed` and its `details.reason`, with `protocol-mismatch` when
 * the worker speaks another version, or with `disposed`.
 */
export async function recover(signs: StartFailure, attempt: Attempt): Promise<Connection> {
  const { source, connectWorker, host } = attempt
  refuseOtherVersion(signs)
  const kind = source.worker ? 'function' : source.workerUrl ? 'url' : 'file'
  const finding = look(signs, kind, attempt)
  finding.catch(() => {})
  if (kind !== 'file' || !source.inline || !hasWorkers()) throw startError(await finding)
  const { inline } = source
  let connection: Connection
  try {
    connection = await connectWorker(() => spawnInline(inline), host)
  } catch (second) {
    if (!(second instanceof StartFailure)) throw second
    refuseOtherVersion(second)
    throw startError(await finding, await look(second, 'inline', attempt))
  }
  const announce = ({ words }: Cause): void =>
    host.onNotice({
      type: 'warning',
      code: 'worker-inlined',
      message: `The inline worker is used, because the worker's file did not start: ${words}`,
    })
  finding.then(announce, () => {})
  return connection
}

async function spawnInline(inline: InlineWorker): Promise<Worker> {
  const { createInlineWorker } = await inline().catch((cause) => {
    throw new OffstageError(
      'worker-load-failed',
      `the file with the inline worker (inline.js) could not be loaded: ${describeThrown(cause)}`,
      { details: { reason: 'import' }, cause },
    )
  })
  return createInlineWorker()
}

/** The cause; `disposed` as soon as nobody needs it. */
async function look(
  signs: StartFailure,
  kind: StartKind,
  { violations, host }: Attempt,
): Promise<Cause> {
  const over = new AbortController()
  const end = (): void => over.abort()
  const timer = setTimeout(end, LOOKING_MS)
  host.signal.addEventListener('abort', end)
  if (host.signal.aborted) end()
  const url = addressOf(signs)
  try {
    const start = { kind, signs, url, violations, signal: over.signal }
    const cause = await findCause(start)
    if (host.signal.aborted) throw disposed()
    return { ...cause, facts: { ...(url && { url: shown(url) }), ...cause.facts } }
  } finally {
    clearTimeout(timer)
    host.signal.removeEventListener('abort', end)
  }
}

function refuseOtherVersion({ version }: StartFailure): void {
  if (version === undefined) return
  throw new OffstageError(
    'protocol-mismatch',
    `The worker speaks version ${version} and the page ${PROTOCOL_VERSION}: they come from different releases of offstage. Reload without the cache, or deploy both files together.`,
  )
}
