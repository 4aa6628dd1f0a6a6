import type { JsonSchema } from '../protocol/json.ts'
import { loadPart } from './load-part.ts'

/** Checked already, and fine. */
const fine = new WeakSet<JsonSchema>()

/**
 * Rejects with `schema-unsupported` for a schema with a pattern that can take forever. What judges patterns
 * is loaded for the first schema that has any.
 */
export async function checkPatterns(schema: JsonSchema, of: string): Promise<void> {
  if (fine.has(schema) || !/"pattern(?:Properties)?":/.test(JSON.stringify(schema))) return
  const { refuseSlowPatterns } = await loadPart(() => import('./refuse-slow-patterns.ts'))
  refuseSlowPatterns(schema, of)
  fine.add(schema)
}
