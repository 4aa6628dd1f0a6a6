const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** An id for a call that came without a usable one: unique, and legal with every vendor's rules. */
export function newCallId(): string {
  // randomUUID is missing on plain-HTTP origins; getRandomValues is everywhere.
  const bytes = crypto.getRandomValues(new Uint8Array(20))
  return `call_${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`
}
