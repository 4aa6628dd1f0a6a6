/** Details that a server sends with a refusal (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface AuthChallenge {
  readonly resource_metadata?: string
  readonly scope?: string
}

const PARAMETER = /\b(resource_metadata|scope)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi

/** Reads `WWW-Authenticate`. Browsers show it only if the server exposes it. */
export function readChallenge(header: string | null): AuthChallenge {
  const found: { [name: string]: string } = {}
  for (const [, name = '', quoted, plain = ''] of (header ?? '').matchAll(PARAMETER))
    found[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? plain
  return found
}
