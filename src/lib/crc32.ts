const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** CRC-32 as in gzip, of bytes that arrive in parts. Detects damage, but not deliberate changes. */
export class Crc32 {
  #crc = 0xffffffff

  add(bytes: Uint8Array): void {
    let crc = this.#crc
    for (const byte of bytes) crc = (TABLE[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8)
    this.#crc = crc
  }

  /** Eight hexadecimal digits. */
  get digits(): string {
    return (~this.#crc >>> 0).toString(16).padStart(8, '0')
  }
}
