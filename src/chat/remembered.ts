/** What outlives a reload of this tab, by element. Where storage is forbidden or full, nothing is kept and nothing fails. */
export interface Remembered {
  read(name: string): string | null
  /** Null forgets. */
  write(name: string, value: string | null): void
}

/** `key`: tells the elements of an origin apart. */
export function remembered(key: string): Remembered {
  const full = (name: string): string => `offstage-chat:${key}:${name}`
  return {
    read(name) {
      try {
        return sessionStorage.getItem(full(name))
      } catch {
        return null
      }
    },
    write(name, value) {
      try {
        if (value === null) sessionStorage.removeItem(full(name))
        else sessionStorage.setItem(full(name), value)
      } catch {
        // See above.
      }
    },
  }
}
