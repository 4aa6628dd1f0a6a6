export interface PolicyWatch {
  /**
   * Returns the policy that refused the request, or undefined if none did. Call it after the request has failed. Waits
   * up to 250 ms, because the event may come after the failure.
   */
  refusedBy(): Promise<string | undefined>
  stop(): void
}

/** Time to wait for the event. Chromium and Firefox fire it within a few milliseconds of the failure. */
const WAIT_MS = 250

/**
 * Listens for violations of this scope's Content-Security-Policy by requests to an address. Scripts can detect
 * a refusal only by the event: the request itself fails like one to an unreachable server.
 */
export function watchCsp(address: string): PolicyWatch {
  const scope = globalThis as Partial<EventTarget>
  let resolve: (policy?: string) => void = () => {}
  const policy = new Promise<string | undefined>((settle) => {
    resolve = settle
  })
  const listener = (event: Event): void => {
    if (isCspViolation(event as SecurityPolicyViolationEvent, address))
      resolve((event as SecurityPolicyViolationEvent).originalPolicy)
  }
  scope.addEventListener?.('securitypolicyviolation', listener)
  return {
    refusedBy() {
      // No policy exists outside browsers.
      if (scope.addEventListener) setTimeout(resolve, WAIT_MS)
      else resolve()
      return policy
    },
    stop: () => scope.removeEventListener?.('securitypolicyviolation', listener),
  }
}

/**
 * Whether the event reports a refused request to this address. Policies that only report are ignored: they refuse
 * nothing.
 */
export function isCspViolation(
  event: Pick<SecurityPolicyViolationEvent, 'blockedURI' | 'disposition' | 'effectiveDirective'>,
  address: string,
): boolean {
  const { origin, pathname, search } = new URL(address)
  const { blockedURI, disposition, effectiveDirective } = event
  // Browsers may cut the address down to its origin.
  const isForAddress = blockedURI === origin + pathname + search || blockedURI === origin
  return isForAddress && disposition === 'enforce' && effectiveDirective === 'connect-src'
}

/** Removes the nonces, so that the policy is safe to show: whoever knows a nonce can run scripts. */
export function withoutNonces(policy: string): string {
  return policy.replace(/'nonce-[^']*'/gi, "'nonce-…'")
}
