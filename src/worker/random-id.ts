const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz'

/** 16 characters. Not `randomUUID`, which is missing on plain-HTTP origins. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
