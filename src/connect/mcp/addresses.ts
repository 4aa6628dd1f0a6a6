/** Whether traffic to this address can't be read in transit: HTTPS or localhost. */
export function isSecureUrl({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname))
  )
}
