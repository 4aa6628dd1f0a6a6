import type { LocalState } from './context.ts'

export function createLocalState(onChange: () => void): LocalState {
  const values = new Map<string, unknown>()
  const changes = new Map<string, number>()
  const changesOf = (id: string): number => changes.get(id) ?? 0
  return {
    get: <Value>(key: string) => values.get(key) as Value | undefined,
    set(key, value) {
      if (Object.is(values.get(key), value)) return
      if (value === undefined) values.delete(key)
      else values.set(key, value)
      const id = key.slice(key.indexOf(':') + 1)
      changes.set(id, changesOf(id) + 1)
      onChange()
    },
    keys: () => values.keys(),
    changesOf,
  }
}
