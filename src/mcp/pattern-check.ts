import { loadPart } from '../client/load-part.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { OffstageError } from '../protocol/error.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { shortLine } from './failures.ts'

/** Total cost of the patterns in one list of tools: as much as ten worst-case schemas. */
const MOST_STEPS = 1_000_000

/** Rejects with `schema-unsupported` for a schema whose patterns can't be used. */
export type PatternCheck = (schema: JsonSchema) => Promise<void>

/** Makes a check for one list of tools. Yields to the page between two schemas. */
export function createPatternCheck(): PatternCheck {
  let left = MOST_STEPS
  return async (schema) => {
    if (!JSON.stringify(schema).includes('"pattern')) return
    const { brokenPattern, checkPatterns, someEffort } = await loadPart(
      () => import('../client/check-patterns.ts'),
    )
    const broken = brokenPattern(schema)
    if (broken !== undefined)
      throw new OffstageError(
        'schema-unsupported',
        `The pattern ${shortLine(broken, 200)} of its inputSchema is no regular expression.`,
      )
    await nextTurn()
    const most = Math.min(someEffort().left, left)
    const effort = { left: most }
    try {
      checkPatterns(schema, 'of its inputSchema', effort)
    } finally {
      left -= Math.min(most - effort.left, left)
    }
  }
}
