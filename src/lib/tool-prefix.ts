/**
 * Whether the text may be a prefix of tool names. Empty prefixes are refused: a page could then take a name before a
 * tool of the app does.
 */
export function isToolPrefix(prefix: string): boolean {
  return /^\w[\w-]{0,30}$/.test(prefix)
}

export const TOOL_PREFIX_RULE = 'must be 1 to 31 letters, digits, _ or -.'
