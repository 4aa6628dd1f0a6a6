import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { type Cause, type FailedStart, hasWorkers, shown } from './cause.ts'
import { fileCause } from './file-cause.ts'
import { policyCause } from './policy-cause.ts'
import { isNoOffstageWorker } from './until-given-up.ts'

/** Finds out what stopped a worker. Never rejects; the start's signal ends it. */
export async function findCause(start: FailedStart): Promise<Cause> {
  try {
    if (!hasWorkers() && start.kind !== 'function') return noWorker
    // The event of a policy violation comes in a later task.
    await new Promise((resolve) => setTimeout(resolve, 250))
    return (
      policyCause(start) ??
      thrownCause(start) ??
      scriptCause(start) ??
      originCause(start) ??
      (await silentCause(start)) ??
      (start.kind === 'inline' ? undefined : await fileCause(start)) ??
      unknownCause(start)
    )
  } catch {
    return unknownCause(start)
  }
}

const noWorker: Cause = {
  reason: 'no-worker',
  message:
    'there is no Worker here. In Node, use createTestAgent of offstage/testing. With server-side rendering, use the agent in the browser only.',
}

function thrownCause(start: FailedStart): Cause | undefined {
  const { kind, failure } = start
  if (!('thrown' in failure)) return undefined
  const { thrown } = failure
  // An error of Offstage itself knows its reason.
  if (OffstageError.is(thrown) && thrown.details?.['reason'])
    return { reason: thrown.details['reason'] as Cause['reason'], message: thrown.message }
  if (kind === 'function')
    return isSecurityError(thrown) ? originCause(start) : optionCause(failure)
  if (isSecurityError(thrown)) return originCause(start)
  if (kind === 'inline')
    return {
      reason: 'import',
      message: `the file with the inline worker (inline.js) could not be loaded: ${describeThrown(thrown)}`,
    }
  if (failure.url !== undefined && kind === 'file')
    return { reason: 'unknown', message: `the page's Worker threw: ${describeThrown(thrown)}` }
  return {
    reason: 'no-address',
    message:
      kind === 'url'
        ? `workerUrl is no address of a file: ${describeThrown(thrown)}`
        : 'the address of worker.js is not known, because Offstage was bundled to a format without import.meta.url (iife, cjs). Pass workerUrl, or bundle to ES modules.',
  }
}

function optionCause({ worker, thrown }: FailedStart['failure']): Cause {
  if (!hasWorkers() && describeThrown(thrown).includes('Worker')) return noWorker
  return {
    reason: 'worker-option',
    message:
      worker === undefined
        ? `the worker function threw, or returned nothing: ${describeThrown(thrown)}`
        : 'the worker function returned something that is no Worker.',
  }
}

/** Finds an origin that prevents the start: a worker's file must be on the page's own, whatever CORS allows. */
function originCause({ kind, url }: FailedStart): Cause | undefined {
  if (!url || /^(blob|data):/.test(url.protocol)) return undefined
  if (globalThis.origin === 'null')
    return {
      reason: 'opaque-origin',
      message: `the page has no origin of its own (it was opened from file://, or stands in a sandboxed frame without allow-same-origin), so it may load no worker's file (${shown(url)}). ${inlineAdvice(kind)}`,
    }
  if (isOwnOrigin(url)) return undefined
  return {
    reason: 'cross-origin',
    message: `${shown(url)} is on another origin than the page (${globalThis.origin}), and CORS opens none for workers. Serve it on the page's own origin. ${inlineAdvice(kind)}`,
  }
}

/** Compares protocol and host for app schemes (capacitor:, tauri:), whose URLs have the origin `null`. */
function isOwnOrigin({ origin, protocol, host }: URL): boolean {
  if (origin !== 'null') return origin === globalThis.origin
  const own = globalThis.location
  return protocol === own?.protocol && host === own.host
}

function inlineAdvice(kind: FailedStart['kind']): string {
  if (kind === 'file') return 'The inline worker of the entry offstage starts there.'
  return `Without ${kind === 'url' ? 'workerUrl' : 'the worker function'} the inline worker starts there.`
}

/** Finds an error in the file itself. Browsers report it for classic scripts, and while a file runs. */
function scriptCause({ failure, url }: FailedStart): Cause | undefined {
  const { message, filename, lineno } = (failure.event ?? {}) as Partial<ErrorEvent>
  if (!message) return undefined
  const file = shown(URL.canParse(filename ?? '') ? new URL(filename ?? '') : url)
  return {
    reason: 'syntax',
    message: `an error in ${file}${lineno ? `, line ${lineno}` : ''}: ${message}`,
    details: { message, file, ...(lineno && { line: lineno }) },
  }
}

async function silentCause(start: FailedStart): Promise<Cause | undefined> {
  const { failure, url, signal } = start
  if ('thrown' in failure || failure.event) return undefined
  const file = shown(url)
  if (failure.hasBegun)
    return {
      reason: 'no-answer',
      message: `${file} was loaded and called startWorker(), but then it answered nothing for a minute: its thread is blocked, or it called startWorker() too late. Call it at the top of the file, before any await.`,
    }
  return {
    reason: 'no-answer',
    message: (await isNoOffstageWorker(failure, signal))
      ? `${file} was loaded, but is no worker of Offstage. Pass the address of worker.js, or of a file that calls startWorker().`
      : `${file} didn't answer within half a minute: the server or this machine is too slow, or the file doesn't call startWorker() at its top.`,
  }
}

function unknownCause({ failure, url }: FailedStart): Cause {
  return {
    reason: 'unknown',
    message:
      'thrown' in failure
        ? describeThrown(failure.thrown)
        : `the browser refused ${shown(url)} and doesn't say why: see its console and network panel. Check that the file exists, is served as JavaScript, and is allowed by the page's CSP (worker-src).`,
  }
}

function isSecurityError(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'SecurityError'
}
