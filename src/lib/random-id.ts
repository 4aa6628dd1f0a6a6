const LENGTH = 12

/** Random bytes are a system call, whose price is the same for many: each step of a run needs several ids. */
const bytes = new Uint8Array(64 * LENGTH)
let used = bytes.length

/** 16 url-safe characters, 96 random bits. `getRandomValues` is there on plain HTTP too, unlike `randomUUID`. */
export function randomId(): string {
  if (used === bytes.length) {
    crypto.getRandomValues(bytes)
    used = 0
  }
  const own = bytes.subarray(used, (used += LENGTH))
  return btoa(String.fromCharCode(...own)).replace(/[+/]/g, (sign) => (sign === '+' ? '-' : '_'))
}
