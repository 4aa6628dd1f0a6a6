import type { LocalState } from './context.ts'

export function createLocalState(onChange: () => void): LocalState {
  const values = new Map<string, unknown>()
  return {
    get: <Value>(key: string) => values.get(key) as Value | undefined,
    set(key, value) {
      if (Object.is(values.get(key), value)) return
      if (value === undefined) values.delete(key)
      else values.set(key, value)
      onChange()
    },
  }
}
