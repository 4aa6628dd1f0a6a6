export interface PolicyWatch {
  /**
   * To be asked when the request has failed: the text of the policy that refused it, if one did. Waits
   * a little, because the event may come after the failure.
   */
  refusedBy(): Promise<string | undefined>
  stop(): void
}

/** In Chromium and Firefox both come within a few milliseconds. */
const WAIT_MS = 250

/**
 * Listens for a Content-Security-Policy of this scope that refuses requests to an address. The event is
 * the only sign of it that scripts get: the request fails like one that finds nobody.
 */
export function watchPolicy(address: string): PolicyWatch {
  const scope = globalThis as Partial<EventTarget>
  let resolve: (policy?: string) => void = () => {}
  const policy = new Promise<string | undefined>((take) => {
    resolve = take
  })
  const listener = (event: Event): void => {
    if (refuses(event as SecurityPolicyViolationEvent, address))
      resolve((event as SecurityPolicyViolationEvent).originalPolicy)
  }
  scope.addEventListener?.('securitypolicyviolation', listener)
  return {
    refusedBy() {
      // Outside of browsers there are no policies to wait for.
      if (scope.addEventListener) setTimeout(resolve, WAIT_MS)
      else resolve()
      return policy
    },
    stop: () => scope.removeEventListener?.('securitypolicyviolation', listener),
  }
}

/** Whether the event is about requests to this address, and reports a refusal, not only of a report. */
export function refuses(
  event: Pick<SecurityPolicyViolationEvent, 'blockedURI' | 'disposition' | 'effectiveDirective'>,
  address: string,
): boolean {
  const { origin, pathname, search } = new URL(address)
  const { blockedURI, disposition, effectiveDirective } = event
  // Browsers may cut the address down to its origin.
  const isMeant = blockedURI === origin + pathname + search || blockedURI === origin
  return isMeant && disposition === 'enforce' && effectiveDirective === 'connect-src'
}

/** A policy's words as they may be shown: a nonce lets scripts run. */
export function withoutNonces(policy: string): string {
  return policy.replace(/'nonce-[^']*'/gi, "'nonce-…'")
}
