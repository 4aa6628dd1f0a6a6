/** Apart from `shape.ts`, so that a page's entry doesn't carry all checks. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
