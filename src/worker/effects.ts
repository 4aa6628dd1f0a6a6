/** The outside world of the loop: injected, so that tests can stop, replay and kill it. */
export interface Effects {
  /** Wall clock, milliseconds since 1970. */
  now(): number
  /** Resolves early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  newId(prefix: string): string
  /** 0 to 1. */
  random(): number
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz'

export const realEffects: Effects = {
  now: () => Date.now(),
  random: () => Math.random(),
  // randomUUID is missing on plain-HTTP origins; getRandomValues is everywhere.
  newId: (prefix) => {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    return prefix + Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done)
    }),
}
