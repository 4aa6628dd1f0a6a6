import { cleanName } from '../client/clean-name.ts'
import { fnv1a } from '../lib/fnv1a.ts'

/** What model APIs take. */
const MAX_NAME = 64
const MAX_PREFIX = 24
const BETWEEN = '__'

/**
 * Prefix of a server's tool names; empty where the app says so. The first `__` of a name ends it: else the tool `b__c`
 * of a server `a` would have the name of the tool `c` of a server `a__b`.
 */
export function cleanPrefix(given: string | undefined, serverName: string): string {
  if (given === '') return ''
  const single = cleanName(given ?? serverName).replace(/_{2,}/g, '_')
  return single.slice(0, MAX_PREFIX).replace(/_$/, '') || 'mcp'
}

/**
 * A tool's name for the model: `prefix__name`. One that is too long is cut, and told from others by a few letters of
 * its own; null: nothing of it is left.
 */
export function modelName(prefix: string, name: string): string | null {
  const clean = name.replace(/[^\w-]+/g, '_')
  if (!cleanName(clean)) return null
  const full = prefix ? `${prefix}${BETWEEN}${clean}` : clean
  if (full.length <= MAX_NAME) return full
  const mark = `_${fnv1a(name).toString(36)}`
  return full.slice(0, MAX_NAME - mark.length) + mark
}
