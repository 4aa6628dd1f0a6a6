/**
 * Converts a name to one that model APIs accept: `[a-zA-Z0-9_-]`, 64 characters at most. Empty if no letter or digit is
 * left.
 */
export function cleanName(name: string): string {
  const clean = name.replace(/[^\w-]+/g, '_').slice(0, 64)
  return /[a-z\d]/i.test(clean) ? clean : ''
}
