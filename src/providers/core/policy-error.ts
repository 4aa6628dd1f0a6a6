import { withoutNonces } from '../../protocol/csp.ts'
import type { ErrorData } from '../../protocol/error.ts'

/** Owner of the policy. `inline-worker`: the page, whose policy a worker from a `blob:` URL inherits. */
export type PolicyScope = 'page' | 'worker' | 'inline-worker'

export interface PolicyRefusal {
  readonly url: URL
  /** The policy's whole text. */
  readonly policy: string
  readonly scope: PolicyScope
}

const owners: { readonly [scope in PolicyScope]: string } = {
  page: 'the page',
  worker: "the worker's file",
  'inline-worker': 'the page, which its inlined worker inherits,',
}

/** Returns which policies apply in this global scope. */
export function ownPolicyScope(): PolicyScope {
  if ('document' in globalThis) return 'page'
  return /^(blob|data):/.test(globalThis.location?.href ?? '') ? 'inline-worker' : 'worker'
}

/** Explains which directive refuses a request, and how to change it. */
export function explainPolicy(refusal: PolicyRefusal): {
  readonly governing: string
  readonly message: string
  readonly fix: string
} {
  const { url, policy, scope } = refusal
  const { origin } = url
  const directives = withoutNonces(policy)
    .split(';')
    .map((directive) => directive.trim())
  const findDirective = (name: RegExp): string | undefined =>
    directives.find((one) => name.test(one))
  const connectDirective = findDirective(/^connect-src\b/i)
  const governing = connectDirective ?? findDirective(/^default-src\b/i) ?? ''
  // Drops keywords, except `'self'`: the others don't affect connections, and `'none'` must stand alone.
  const [, ...sources] = governing.split(/\s+/).filter((one) => !/^'(?!self')/i.test(one))
  const change = connectDirective ? 'Change that to' : 'connect-src is missing; add'
  const orPage = scope === 'worker' ? ", or set transport: 'page' where the page may call it" : ''
  return {
    governing,
    message: `The Content-Security-Policy of ${owners[scope]} refuses requests to ${origin}: ${governing}`,
    fix: `${change}: ${['connect-src', ...sources, origin].join(' ')}${orPage}`,
  }
}

export function policyError(refusal: PolicyRefusal): ErrorData {
  const { governing, message, fix } = explainPolicy(refusal)
  const { origin, pathname } = refusal.url
  return {
    code: 'blocked-by-csp',
    message: `${message}\n${fix}`,
    retryable: false,
    details: {
      directive: 'connect-src',
      blockedURI: origin + pathname,
      policy: governing,
      scope: refusal.scope,
    },
  }
}
