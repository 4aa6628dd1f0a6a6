const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** A unique id for a call that came without a usable one. Every vendor accepts it. */
export function newCallId(): string {
  // Plain-HTTP origins lack randomUUID; getRandomValues exists everywhere.
  const bytes = crypto.getRandomValues(new Uint8Array(20))
  return `call_${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`
}
