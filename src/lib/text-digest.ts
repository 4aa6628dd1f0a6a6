import { fnv1a } from './fnv1a.ts'

/**
 * A short text that differs where texts differ: their length and two hashes of 32 bits, base 36. Of no use against
 * somebody who makes a text of the same digest on purpose.
 */
export function textDigest(text: string): string {
  return [text.length, fnv1a(text), fnv1a(text, 0x01000193)]
    .map((part) => part.toString(36))
    .join('-')
}
