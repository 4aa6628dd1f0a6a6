import { loadPart } from '../client/load-part.ts'
import { nextTurn } from '../lib/next-turn.ts'
import type { JsonSchema } from '../protocol/json.ts'

/** What the patterns of one list of tools may cost together: as those of ten schemas at their worst. */
const MOST_STEPS = 1_000_000

/** Rejects with `schema-unsupported` for a schema whose patterns can't be used. */
export type PatternCheck = (schema: JsonSchema) => Promise<void>

/** One for each list of tools. The page has its turn between two of them. */
export function createPatternCheck(): PatternCheck {
  let left = MOST_STEPS
  return async (schema) => {
    if (!JSON.stringify(schema).includes('"pattern')) return
    const { checkPatterns, someEffort } = await loadPart(
      () => import('../client/check-patterns.ts'),
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
