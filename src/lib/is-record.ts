/** Separate from `shape.ts`, so that the page's bundle doesn't include all checks. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
