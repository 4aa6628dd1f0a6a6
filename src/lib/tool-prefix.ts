/**
 * Whether the text is a valid prefix for tool names. Empty prefixes are refused: without a prefix, a page could
 * register the name of one of the app's tools first.
 */
export function isToolPrefix(prefix: string): boolean {
  return /^\w[\w-]{0,30}$/.test(prefix)
}

export const TOOL_PREFIX_RULE = 'must be 1 to 31 letters, digits, _ or -.'
