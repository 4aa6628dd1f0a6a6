import { badAnswer } from './failures.ts'
import type { McpLine } from './line.ts'
import type { Fields } from './wire.ts'

/** More than any server lists for a good reason. */
const MAX_PAGES = 50
const MAX_ITEMS = 1000

/** All items of a list that comes in pages (server/utilities/pagination). */
export async function listAll(
  line: McpLine,
  about: { readonly method: string; readonly field: string; readonly signal: AbortSignal },
): Promise<readonly unknown[]> {
  const { method, field, signal } = about
  const items: unknown[] = []
  const seen = new Set<string>()
  let params: Fields = {}
  for (let page = 0; page < MAX_PAGES && items.length <= MAX_ITEMS; page++) {
    const result = await line.request(method, params, { signal, repeatable: true })
    const found = result[field]
    if (!Array.isArray(found)) throw badAnswer(line.source, `answered ${method} without ${field}.`)
    items.push(...found)
    const { nextCursor: cursor } = result
    if (typeof cursor !== 'string') return items
    if (seen.has(cursor)) throw badAnswer(line.source, `repeats a page of ${method}.`)
    seen.add(cursor)
    params = { cursor }
  }
  throw badAnswer(line.source, `lists more than ${MAX_ITEMS} ${field}.`)
}
