const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  return rest
})

/** CRC-32 as in gzip, of bytes that arrive in parts. Detects damage, but not deliberate changes. */
export class Crc32 {
  #rest = 0xffffffff

  add(bytes: Uint8Array): void {
    let rest = this.#rest
    for (const byte of bytes) rest = (TABLE[(rest ^ byte) & 255] ?? 0) ^ (rest >>> 8)
    this.#rest = rest
  }

  /** Eight hexadecimal digits. */
  get digits(): string {
    return (~this.#rest >>> 0).toString(16).padStart(8, '0')
  }
}
