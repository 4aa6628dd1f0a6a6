export interface StoredValue {
  /** Undefined when nothing was written, or it can't be read. */
  read(): unknown
  write(value: unknown): void
}

/**
 * A value in `localStorage` or `sessionStorage`. Where storage is full or forbidden, nothing is kept
 * and nothing fails: the page works on, a reload forgets.
 */
export function storedValue(area: 'localStorage' | 'sessionStorage', key: string): StoredValue {
  return {
    read() {
      try {
        return JSON.parse(globalThis[area].getItem(key) ?? 'null') ?? undefined
      } catch {
        return undefined
      }
    },
    write(value) {
      try {
        globalThis[area].setItem(key, JSON.stringify(value ?? null))
      } catch {
        // See above.
      }
    },
  }
}
