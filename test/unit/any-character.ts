import fc from 'fast-check'

/**
 * Any character but half a pair. The same as fast-check's unit `binary`, which builds a table of a million entries: two
 * seconds of each process.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
