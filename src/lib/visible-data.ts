import { withoutHidden } from './invisible.ts'
import { isRecord } from './shape.ts'

/** Copies untrusted plain data, without hidden characters in its texts and keys. */
export function visibleData(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (_key, value: unknown) => {
    if (typeof value === 'string') return withoutHidden(value)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [withoutHidden(name), part]),
    )
  }) as unknown
}
