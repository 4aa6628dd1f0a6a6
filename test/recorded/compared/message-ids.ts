import { isPlain } from './plain.ts'
import type { Compared } from './compared.ts'

/**
 * Messages with names by the order in which they are seen, in place of their ids: format 1 made them of
 * the run and the step, those of format 2 are random.
 */
export function withNamedMessages(recording: Compared): Compared {
  const names = new Map<string, string>()
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `message-${names.size + 1}`
    names.set(id, name)
    return name
  }
  const renamed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(renamed)
    if (!isPlain(value)) return value
    const entries = Object.entries(value).map(([key, each]) => [key, renamed(each)])
    const { id } = value
    return Object.fromEntries([
      ...entries,
      ...('role' in value && typeof id === 'string' ? [['id', nameOf(id)]] : []),
    ])
  }
  const { conversations, runs, requests, ...rest } = recording
  // Stored conversations are numbered first, since their order doesn't depend on how they reached the page.
  const named = renamed({ conversations, runs, requests }) as typeof recording
  return { ...rest, ...named }
}
