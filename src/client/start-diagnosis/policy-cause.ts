import { withoutNonces } from '../../protocol/policy.ts'
import { shown, type Cause, type FailedStart } from './cause.ts'

/** Finds a Content-Security-Policy that refused the worker, from the browser's own events. */
export function policyCause(start: FailedStart): Cause | undefined {
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
  // The list of allowed names may be in another policy than the requirement.
  const unlisted = violations.find(
    ({ effectiveDirective, sample }) =>
      effectiveDirective === 'trusted-types' && sample.startsWith('offstage'),
  )
  return {
    reason: 'trusted-types',
    message: `The page's CSP requires Trusted Types, and the address ${url ? `of ${shown(url)} ` : ''}is a plain one. ${trustAdvice(kind, (unlisted ?? refused).originalPolicy)}`,
    details: { directive: 'trusted-types' },
  }
}

function trustAdvice(kind: FailedStart['kind'], policy: string): string {
  if (kind === 'function')
    return 'Make the address in the worker function with a policy of your own (createScriptURL), or pass it as workerUrl.'
  const list = directiveIn(policy, ['trusted-types'])
  const names = list?.split(/\s+/).slice(1) ?? []
  if (!list || names.includes('offstage') || names.includes('*'))
    return "The policy offstage is allowed, but could not be made: other code has made one of this name, or replaced the page's Worker, or a second policy refused it. Add 'allow-duplicates', or pass workerUrl a TrustedScriptURL of your own."
  const others = names.filter((name) => name !== "'none'")
  return `Its ${list} doesn't allow Offstage's policy: change it to trusted-types ${[...others, 'offstage'].join(' ')}, or pass workerUrl a TrustedScriptURL of your own.`
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
    message: `The page's Content-Security-Policy (${directive ?? refused.effectiveDirective}) refused ${kind === 'inline' ? "the inline worker's blob: address" : shown(url)}. Allow it: worker-src ${source}`,
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
