/** Has a file of its own, so that the page's bundle doesn't include all of `shape.ts`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
