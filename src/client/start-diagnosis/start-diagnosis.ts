import { PROTOCOL_VERSION } from '../../protocol/worker-calls.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { disposedError, toOffstageError } from '../api/failures.ts'
import {
  type Connection,
  type ConnectionHost,
  StartFailure,
  type WorkerSource,
} from '../worker-link/worker-start.ts'
import {
  addressOf,
  type Cause,
  type FailedStart,
  hasWorkers,
  isNoOffstageWorker,
  formatUrl,
  type StartKind,
} from './cause.ts'
import { type FileProbe, hasPageEmbedderPolicy, isJavaScript, probeFile } from './probe-file.ts'
import { withoutNonces } from '../../protocol/csp.ts'
import { startTrusted } from '../worker-link/trusted-worker.ts'

export { untilGivenUp } from './cause.ts'

type Answer = Extract<FileProbe, { type: 'answer' }>

/** Finds the reason if the browser refused a worker file without an error message. */
async function fileCause(start: FailedStart): Promise<Cause | undefined> {
  const probe = await probeFile(start.url, start.signal)
  const file = formatUrl(start.url)
  switch (probe.type) {
    case 'answer':
      return answerCause(start, probe)
    case 'redirect':
      return {
        reason: 'cross-origin',
        message: `${file} redirects, most likely to another origin, from which no worker is loaded. Serve it on the page's own origin.`,
      }
    case 'none':
      return probe.offline
        ? {
            reason: 'offline',
            message: `${file} could not be loaded: the browser is offline.`,
          }
        : {
            reason: 'network',
            message: `${file} could not be loaded: the server doesn't answer, or broke off.`,
          }
    case 'unknown':
      return undefined
    default:
      return probe satisfies never
  }
}

async function answerCause(start: FailedStart, probe: Answer): Promise<Cause> {
  const { status, contentType, text } = probe
  const file = formatUrl(start.url)
  const answers = `The server answers ${file}${probe.finalUrl === start.url?.href ? '' : `, after a redirect to ${formatUrl(new URL(probe.finalUrl))},`}`
  if (status === 404 || status === 410)
    return {
      reason: 'not-found',
      message: `${answers} with the status ${status}. ${placementAdvice(start)}`,
      details: { status },
    }
  if (status < 200 || status > 299)
    return {
      reason: 'bad-status',
      message: `${answers} with the status ${status}. It must be served to everyone who may open the page.`,
      retryable: status === 408 || status === 429 || status >= 500,
      details: { status },
    }
  if (!isJavaScript(contentType))
    return {
      reason: 'wrong-type',
      message: `${answers} with the type ${contentType || '(none)'}, not with JavaScript. ${
        /html/i.test(contentType)
          ? `Many servers answer so for a missing file. ${placementAdvice(start)}`
          : 'Serve it with Content-Type: text/javascript.'
      }`,
      details: { contentType },
    }
  if (!probe.hasEmbedderPolicy && (await hasPageEmbedderPolicy(start.signal)))
    return {
      reason: 'coep',
      message: `The page has a Cross-Origin-Embedder-Policy, and ${file} comes without one. Serve it with require-corp (or credentialless), too.`,
    }
  const part = missingPart(text)
  if (part)
    return {
      reason: 'import',
      message: `${file} imports ${formatUrl(new URL(part.name))}, which the server answers with the status ${part.responseStatus}.`,
      details: { import: formatUrl(new URL(part.name)), status: part.responseStatus },
    }
  // Doesn't try a blob: worker if the policy has just refused one: the browser would only report it again.
  const mayProbe = !start.violations.some(
    ({ blockedURI, effectiveDirective }) =>
      effectiveDirective === 'worker-src' && blockedURI.startsWith('blob'),
  )
  const syntaxError = mayProbe ? await findSyntaxError(text, start.signal) : undefined
  if (syntaxError === 'has-imports')
    return {
      reason: 'import',
      message: `${file} or a module that it imports can't be loaded or parsed. See the browser's console.`,
    }
  if (syntaxError)
    return {
      reason: 'syntax',
      message: `${file} can't be parsed (line ${syntaxError.line}): ${syntaxError.message}. It is damaged, or too new for this browser.`,
      details: { ...syntaxError },
    }
  return {
    reason: 'unknown',
    message: `The browser refused ${file}. The file is damaged, imports a missing module, or a policy forbids it. See the browser's console.`,
  }
}

/** Returns the first module that the text imports and that failed to load. */
function missingPart(text: string): PerformanceResourceTiming | undefined {
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return entries.find(
    ({ initiatorType, name, responseStatus }) =>
      initiatorType === 'script' && responseStatus >= 400 && importsUrl(text, new URL(name)),
  )
}

/** Whether a text has a quoted import specifier that ends in the URL's last segment. */
function importsUrl(text: string, { origin, pathname }: URL): boolean {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  if (!segment || origin !== globalThis.location.origin) return false
  const escaped = segment.replace(/\W/g, '\\$&')
  return new RegExp(`["'\`/]${escaped}(?:[?#][^"'\`]*)?["'\`]`).test(text)
}

function placementAdvice({ kind, url }: FailedStart): string {
  if (url?.pathname.includes('/.vite/'))
    return "With Vite's dev server put offstage into optimizeDeps.exclude."
  if (kind !== 'file') return 'Check the address that you give.'
  return 'It must be beside the file that holds Offstage. Otherwise pass workerUrl, or a worker function.'
}

/** Finds a Content-Security-Policy that refused the worker, from the browser's own events. */
function policyCause(start: FailedStart): Cause | undefined {
  const violations = start.violations.filter(({ disposition }) => disposition === 'enforce')
  return trustedTypesCause(start, violations) ?? workerSourceCause(start, violations)
}

type Violations = readonly SecurityPolicyViolationEvent[]

function trustedTypesCause(
  { kind, failure, url }: FailedStart,
  violations: Violations,
): Cause | undefined {
  if (!isTypeError(failure.thrown)) return undefined
  const refused = violations.find(
    ({ effectiveDirective, sample }) =>
      effectiveDirective === 'require-trusted-types-for' && sample.startsWith('Worker'),
  )
  if (!refused) return undefined
  // Searches all violations: one policy may require Trusted Types, and another may list the allowed names.
  const unlisted = violations.find(
    ({ effectiveDirective, sample }) =>
      effectiveDirective === 'trusted-types' && sample.startsWith('offstage'),
  )
  return {
    reason: 'trusted-types',
    message: `The page's CSP requires Trusted Types, and the address ${url ? `of ${formatUrl(url)} ` : ''}is a plain one. ${trustAdvice(kind, (unlisted ?? refused).originalPolicy)}`,
    details: { directive: 'trusted-types' },
  }
}

function trustAdvice(kind: FailedStart['kind'], policy: string): string {
  if (kind === 'function')
    return 'Make the address in the worker function with a policy of your own (createScriptURL), or pass it as workerUrl.'
  const list = directiveIn(policy, ['trusted-types'])
  const allowed = list?.split(/\s+/).slice(1) ?? []
  if (!list || allowed.includes('offstage') || allowed.includes('*'))
    return "The policy offstage is allowed, but could not be made: other code has made one of this name, or replaced the page's Worker, or a second policy refused it. Add 'allow-duplicates', or pass workerUrl a TrustedScriptURL of your own."
  const otherNames = allowed.filter((name) => name !== "'none'")
  return `Its ${list} doesn't allow Offstage's policy: change it to trusted-types ${[...otherNames, 'offstage'].join(' ')}, or pass workerUrl a TrustedScriptURL of your own.`
}

function workerSourceCause({ url, kind }: FailedStart, violations: Violations): Cause | undefined {
  const refused = violations.find(
    ({ effectiveDirective, blockedURI }) =>
      /^(worker|child)-src$/.test(effectiveDirective) &&
      (url || kind === 'inline'
        ? isAddress(blockedURI, kind === 'inline' ? 'blob:' : (url?.href ?? ''))
        : kind === 'function'),
  )
  if (!refused) return undefined
  const directive = directiveIn(refused.originalPolicy, [
    'worker-src',
    'child-src',
    'script-src',
    'default-src',
  ])
  const source = kind === 'inline' || url?.protocol === 'blob:' ? 'blob:' : sourceOf(url)
  return {
    reason: 'csp',
    message: `The page's Content-Security-Policy (${directive ?? refused.effectiveDirective}) refused ${kind === 'inline' ? "the inline worker's blob: address" : formatUrl(url)}. Allow it: worker-src ${source}`,
    details: {
      directive: 'worker-src',
      source,
      policy: directive ?? withoutNonces(refused.originalPolicy),
    },
  }
}

/** `blockedURI` may be the whole address, its origin, or only its scheme. */
function isAddress(blockedURI: string, href: string): boolean {
  return href.startsWith(blockedURI) || blockedURI.startsWith(href)
}

function sourceOf(url: URL | undefined): string {
  if (!url || url.origin === globalThis.origin) return "'self'"
  return url.origin === 'null' ? url.protocol : url.origin
}

/** Returns the first of these directives that a policy has. */
function directiveIn(policy: string, names: readonly string[]): string | undefined {
  const directives = withoutNonces(policy)
    .split(/[;,]/)
    .map((directive) => directive.trim())
  for (const name of names) {
    const found = directives.find((directive) => directive.split(/\s+/)[0]?.toLowerCase() === name)
    if (found) return found
  }
  return undefined
}

function isTypeError(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'TypeError'
}

/** Finds the reason why a worker did not start. Never rejects. The start's signal ends the search. */
async function findCause(start: FailedStart): Promise<Cause> {
  try {
    if (!hasWorkers() && start.kind !== 'function') return noWorker
    // Waits, because the event of a policy violation arrives in a later task.
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
  // Errors of Offstage itself already have a reason.
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

/**
 * Detects a start that failed because of an origin. A worker's file must be on the page's own origin, whatever CORS
 * allows.
 */
function originCause({ kind, url }: FailedStart): Cause | undefined {
  if (!url || /^(blob|data):/.test(url.protocol)) return undefined
  if (globalThis.origin === 'null')
    return {
      reason: 'opaque-origin',
      message: `the page has no origin of its own (opened from file://, or in a sandboxed frame without allow-same-origin), so it can't load a worker's file (${formatUrl(url)}). ${inlineAdvice(kind)}`,
    }
  if (isOwnOrigin(url)) return undefined
  return {
    reason: 'cross-origin',
    message: `${formatUrl(url)} is on another origin than the page (${globalThis.origin}), and CORS can't allow workers. Serve it on the page's own origin. ${inlineAdvice(kind)}`,
  }
}

/** Compares protocol and host for app schemes (capacitor:, tauri:), whose URLs have the origin `null`. */
function isOwnOrigin({ origin, protocol, host }: URL): boolean {
  if (origin !== 'null') return origin === globalThis.origin
  const pageLocation = globalThis.location
  return protocol === pageLocation?.protocol && host === pageLocation.host
}

function inlineAdvice(kind: FailedStart['kind']): string {
  if (kind === 'file') return 'The inline worker of the entry offstage starts there.'
  return `Without ${kind === 'url' ? 'workerUrl' : 'the worker function'} the inline worker starts there.`
}

/**
 * Finds an error in the file itself. Browsers report such errors for classic scripts, and for modules only while they
 * run.
 */
function scriptCause({ failure, url }: FailedStart): Cause | undefined {
  const { message, filename, lineno } = (failure.event ?? {}) as Partial<ErrorEvent>
  if (!message) return undefined
  const file = formatUrl(URL.canParse(filename ?? '') ? new URL(filename ?? '') : url)
  return {
    reason: 'syntax',
    message: `an error in ${file}${lineno ? `, line ${lineno}` : ''}: ${message}`,
    details: { message, file, ...(lineno && { line: lineno }) },
  }
}

async function silentCause(start: FailedStart): Promise<Cause | undefined> {
  const { failure, url, signal } = start
  if ('thrown' in failure || failure.event) return undefined
  const file = formatUrl(url)
  if (failure.hasBegun)
    return {
      reason: 'no-answer',
      message: `${file} called startWorker(), but then sent nothing for a minute. Its thread is blocked, or it called startWorker() too late: call it at the top of the file, before any await.`,
    }
  return {
    reason: 'no-answer',
    message: (await isNoOffstageWorker(failure, signal))
      ? `${file} was loaded, but is no worker of Offstage. Pass the address of worker.js, or of a file that calls startWorker().`
      : `${file} didn't answer within half a minute: the server or this machine is too slow, or it doesn't call startWorker() at its top.`,
  }
}

function unknownCause({ failure, url }: FailedStart): Cause {
  return {
    reason: 'unknown',
    message:
      'thrown' in failure
        ? describeThrown(failure.thrown)
        : `the browser refused ${formatUrl(url)} without a reason: see its console and network panel. Is the file there, served as JavaScript, and allowed by the CSP (worker-src)?`,
  }
}

function isSecurityError(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'SecurityError'
}

/** Causes that no worker file can avoid: only the inline worker could have started. */
const PAGE_REASONS: readonly Cause['reason'][] = ['opaque-origin', 'cross-origin', 'no-address']
const TEMPORARY_REASONS: readonly Cause['reason'][] = ['offline', 'network', 'no-answer']

/**
 * Creates the error for a worker that did not start. `inline`: cause of the inline worker's failure, if one was tried.
 */
function startError(file: Cause, inline?: Cause): OffstageError {
  const isOfPage = inline !== undefined && PAGE_REASONS.includes(file.reason)
  const [main, other] = isOfPage ? [inline, file] : [file, inline]
  const sentences = [`The worker did not start: ${sentence(main.message)}`]
  // A single `trusted-types` list refuses both workers, so it is reported once.
  if (other && !(main.reason === 'trusted-types' && other.reason === main.reason))
    sentences.push(
      isOfPage
        ? `That was the inline worker, which is used because ${sentence(other.message)}`
        : `The inline worker, which takes its place, did not start either: ${sentence(other.message)}`,
    )
  return new OffstageError('worker-load-failed', sentences.join(' '), {
    retryable: main.retryable ?? TEMPORARY_REASONS.includes(main.reason),
    cause: main.thrown ?? other?.thrown,
    details: {
      reason: main.reason,
      ...main.details,
      ...(other && { [isOfPage ? 'file' : 'inline']: { reason: other.reason, ...other.details } }),
    },
  })
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** Time for the whole diagnosis, including waiting for servers. Milliseconds. */
const DIAGNOSIS_MS = 8000

export interface FailedAttempt {
  readonly source: WorkerSource
  /** Violations of the page's policies since the start began. The array may still grow. */
  readonly violations: readonly SecurityPolicyViolationEvent[]
  readonly host: ConnectionHost
}

/**
 * Finds the cause of a failed start and throws it: `worker-load-failed` with its `details.reason`, `protocol-mismatch`
 * if the worker speaks another version, or `disposed`. If the inline worker has started, also emits a warning.
 * `inlineStart`: the inline worker's start, which rejects with `failure` if no start was tried.
 */
export async function throwStartError(
  failure: StartFailure,
  inlineStart: Promise<Connection>,
  attempt: FailedAttempt,
): Promise<never> {
  const { source, host } = attempt
  const kind = source.worker ? 'function' : source.workerUrl ? 'url' : 'file'
  const diagnosis = diagnoseStart(failure, kind, attempt)
  diagnosis.catch(() => {})
  const announce = ({ message }: { readonly message: string }): void =>
    host.onNotice({
      type: 'warning',
      code: 'worker-inlined',
      message: `The inline worker is used, because the worker's file did not start: ${message}`,
    })
  const inline = await inlineStart.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (inline === undefined) announce(await diagnosis.catch(toOffstageError))
  if (inline === failure || inline === undefined) throw startError(await diagnosis)
  if (!(inline instanceof StartFailure)) throw inline
  const other = await diagnoseStart(inline, 'inline', attempt)
  throw startError(await diagnosis, other)
}

/**
 * Reloads a worker's file from the server into the browser's cache. False if the address is unknown or on another
 * origin, or the server doesn't return the file.
 */
export async function reloadFile(failure: StartFailure, signal: AbortSignal): Promise<boolean> {
  const diagnosisSignal = AbortSignal.any([signal, AbortSignal.timeout(DIAGNOSIS_MS)])
  const probe = await probeFile(addressOf(failure), diagnosisSignal, 'reload')
  return probe.type === 'answer' && probe.text !== ''
}

/** Returns the cause. Throws `disposed` if the agent was disposed meanwhile. */
async function diagnoseStart(
  failure: StartFailure,
  kind: StartKind,
  { violations, host: { signal } }: FailedAttempt,
): Promise<Cause> {
  if (failure.otherVersion !== undefined) throw mismatch(failure.otherVersion)
  const diagnosisSignal = AbortSignal.any([signal, AbortSignal.timeout(DIAGNOSIS_MS)])
  const url = addressOf(failure)
  const cause = await findCause({ kind, failure, url, violations, signal: diagnosisSignal })
  if (signal.aborted) throw disposedError()
  return {
    ...cause,
    thrown: failure.thrown,
    details: { ...(url && { url: formatUrl(url) }), ...cause.details },
  }
}

function mismatch(version: number | OffstageError): OffstageError {
  if (typeof version !== 'number') return version
  return new OffstageError(
    'protocol-mismatch',
    `The worker speaks version ${version} and the page ${PROTOCOL_VERSION}: they are of different releases. Reload without the cache, or deploy both files together.`,
  )
}

export interface SyntaxProblem {
  readonly line: number
  readonly message: string
}

const PARSED = 'offstage-parsed'
const PARSING_MS = 3000

/**
 * Lets a worker parse a text without running it. Browsers report why a classic script can't be parsed, but not why a
 * module can't. `has-imports`: the text can only be parsed as a module.
 */
export async function findSyntaxError(
  text: string,
  signal: AbortSignal,
): Promise<SyntaxProblem | 'has-imports' | undefined> {
  // Added without a line feed, so that line numbers stay those of the file.
  const url = URL.createObjectURL(new Blob([`throw'${PARSED}';`, text]))
  let worker: Worker | undefined
  try {
    worker = startTrusted(() => new Worker(url))
    const event = await firstError(worker, signal)
    if (!event?.message || event.message.includes(PARSED)) return undefined
    const isModule = /\b(import|export|await)\b/.test(event.message)
    return isModule ? 'has-imports' : { line: event.lineno, message: event.message }
  } catch {
    return undefined
  } finally {
    worker?.terminate()
    URL.revokeObjectURL(url)
  }
}

function firstError(worker: Worker, signal: AbortSignal): Promise<ErrorEvent | undefined> {
  return new Promise((resolve) => {
    worker.addEventListener('error', (event) => {
      // Handled here, so that the page's own error handlers don't see it.
      event.preventDefault()
      resolve(event)
    })
    signal.addEventListener('abort', () => resolve(undefined))
    setTimeout(resolve, PARSING_MS)
  })
}
