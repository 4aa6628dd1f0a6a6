/** What model APIs take as a name: `[a-zA-Z0-9_-]`, 64 characters at most. Empty when nothing is left. */
export function cleanName(name: string): string {
  const clean = name.replace(/[^\w-]+/g, '_').slice(0, 64)
  return /[a-z\d]/i.test(clean) ? clean : ''
}
