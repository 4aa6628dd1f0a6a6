/** Data of which only the shape counts. */
export interface Plain {
  readonly [key: string]: unknown
}

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
