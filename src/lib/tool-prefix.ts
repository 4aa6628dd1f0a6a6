/**
 * Whether the names of tools may begin with this. It is never empty: else a page could take a name before a tool of the
 * app has it.
 */
export function isToolPrefix(prefix: string): boolean {
  return /^\w[\w-]{0,30}$/.test(prefix)
}

export const TOOL_PREFIX_RULE = 'must be 1 to 31 letters, digits, _ or -.'
