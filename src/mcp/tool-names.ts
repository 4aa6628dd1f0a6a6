import { cleanName } from '../client/clean-name.ts'
import { fnv1a } from '../lib/fnv1a.ts'

/** Longest name that model APIs accept. */
const MAX_NAME = 64
const MAX_PREFIX = 24
const BETWEEN = '__'

/**
 * Prefix of a server's tool names; empty if the app says so. It contains no `__`, because the first `__` of a name ends
 * the prefix. Otherwise the tool `b__c` of server `a` and the tool `c` of server `a__b` would share a name.
 */
export function cleanPrefix(given: string | undefined, serverName: string): string {
  if (given === '') return ''
  const single = cleanName(given ?? serverName).replace(/_{2,}/g, '_')
  return single.slice(0, MAX_PREFIX).replace(/_$/, '') || 'mcp'
}

/**
 * A tool's name for the model: `prefix__name`. A name that is too long is cut and gets a short hash. Null: the name has
 * no usable letters.
 */
export function modelName(prefix: string, name: string): string | null {
  const clean = name.replace(/[^\w-]+/g, '_')
  if (!cleanName(clean)) return null
  const full = prefix ? `${prefix}${BETWEEN}${clean}` : clean
  if (full.length <= MAX_NAME) return full
  const mark = `_${fnv1a(name).toString(36)}`
  return full.slice(0, MAX_NAME - mark.length) + mark
}
