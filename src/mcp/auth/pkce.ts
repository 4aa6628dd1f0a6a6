/** The secret verifier of one log-in, and its public challenge (RFC 7636, S256). */
export interface Challenge {
  readonly verifier: string
  readonly challenge: string
}

export async function createChallenge(): Promise<Challenge> {
  const verifier = randomText()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: urlSafe(new Uint8Array(digest)) }
}

/** 256 random bits, 43 url-safe characters. */
export function randomText(): string {
  return urlSafe(crypto.getRandomValues(new Uint8Array(32)))
}

function urlSafe(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
