import { withoutHidden } from './invisible.ts'
import { isRecord } from './shape.ts'

/** Plain data of others as a copy, its texts and the names in it without hidden characters. */
export function visibleData(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (_key, value: unknown) => {
    if (typeof value === 'string') return withoutHidden(value)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [withoutHidden(name), part]),
    )
  }) as unknown
}
