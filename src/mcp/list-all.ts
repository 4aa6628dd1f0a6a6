import { badAnswer } from './failures.ts'
import type { McpLine } from './line.ts'
import type { Fields } from './wire.ts'

/** Limits beyond what any real server lists. */
const MAX_PAGES = 50
const MAX_ITEMS = 1000

/** Parameters for one list. */
interface Listing {
  readonly method: string
  readonly field: string
  readonly signal: AbortSignal
  /** Called when the list exceeds the limit. Missing: such a list is an error. */
  cut?(message: string): void
}

/** All items of a paginated list (server/utilities/pagination), up to the limit. */
export async function listAll(line: McpLine, about: Listing): Promise<readonly unknown[]> {
  const { method, field, signal } = about
  const items: unknown[] = []
  const seen = new Set<string>()
  let params: Fields = {}
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await line.request(method, params, { signal, repeatable: true })
    const found = result[field]
    if (!Array.isArray(found)) throw badAnswer(line.source, `answered ${method} without ${field}.`)
    for (const item of found.slice(0, MAX_ITEMS + 1 - items.length)) items.push(item)
    if (items.length > MAX_ITEMS) {
      const message = `lists more than ${MAX_ITEMS} ${field}`
      if (!about.cut) throw badAnswer(line.source, `${message}.`)
      about.cut(message)
      return items.slice(0, MAX_ITEMS)
    }
    const { nextCursor: cursor } = result
    if (typeof cursor !== 'string') return items
    if (seen.has(cursor)) throw badAnswer(line.source, `repeats a page of ${method}.`)
    seen.add(cursor)
    params = { cursor }
  }
  throw badAnswer(line.source, `lists its ${field} in more than ${MAX_PAGES} pages.`)
}
