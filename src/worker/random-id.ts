const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz'
const LENGTH = 16

/** Random bytes are a call to the operating system: many at once cost what few do, and each step needs several ids. */
const bytes = new Uint8Array(64 * LENGTH)
let used = bytes.length

/** 16 characters. Not `randomUUID`, which is missing on plain-HTTP origins. */
export function randomId(): string {
  if (used === bytes.length) {
    crypto.getRandomValues(bytes)
    used = 0
  }
  const own = bytes.subarray(used, (used += LENGTH))
  return Array.from(own, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
