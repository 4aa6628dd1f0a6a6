/** Values that survive a reload. If storage is forbidden or full, nothing is kept and nothing fails. */
export interface PersistentStorage {
  getItem(name: string): string | null
  /** Null removes the value. */
  setItem(name: string, value: string | null): void
}

/**
 * Opens a storage. `key` distinguishes the elements of an origin. `tab`: values are kept for this tab; `browser`: for
 * all later pages.
 */
export function openStorage(key: string, scope: 'tab' | 'browser' = 'tab'): PersistentStorage {
  const fullName = (name: string): string => `offstage-chat:${key}:${name}`
  const storage = (): Storage => (scope === 'tab' ? sessionStorage : localStorage)
  return {
    getItem(name) {
      try {
        return storage().getItem(fullName(name))
      } catch {
        return null
      }
    },
    setItem(name, value) {
      try {
        if (value === null) storage().removeItem(fullName(name))
        else storage().setItem(fullName(name), value)
      } catch {
        // Nothing is kept.
      }
    },
  }
}
