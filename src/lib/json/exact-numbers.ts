/** Matches the strings and numbers in a JSON text, even a string without its closing quote. */
export const JSON_TOKENS: RegExp = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\d[\d.e+-]*/gi

/** Whether a double would round this number. Always false up to 2^53, where only fractions are rounded. */
export function isInexact(written: string): boolean {
  const value = Number(written)
  return Math.abs(value) > Number.MAX_SAFE_INTEGER && digitsOf(written) !== digitsOf(String(value))
}

function digitsOf(number: string): string {
  return number.replace(/e.*|\D/gi, '').replace(/^0+|0+$/g, '')
}
