/** Nobody on the way reads what is sent there. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}

/** Hosts that are this machine or a network of its own. IPv6 that is reached from everywhere begins with 2 or 3. */
const PRIVATE =
  /^(?:[^.[]+|.+\.(?:localhost|local|internal|home\.arpa)|(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[79]\d|8\d|1[01]\d|12[0-7]))\..*|\[(?![23]).*)\.?$/

/** Whether a server may name an address: one elsewhere knows nothing of this machine and its network. */
export function mayName(named: URL, by: URL): boolean {
  return isSafe(named) && (PRIVATE.test(by.hostname) || !PRIVATE.test(named.hostname))
}
