import { fnv1a } from './fnv1a.ts'

/**
 * A short digest that tells texts apart: the length and two hashes of 32 bits, base 36. Not secure: a text with the
 * same digest can be made on purpose.
 */
export function textDigest(text: string): string {
  return [text.length, fnv1a(text), fnv1a(text, 0x01000193)]
    .map((part) => part.toString(36))
    .join('-')
}
