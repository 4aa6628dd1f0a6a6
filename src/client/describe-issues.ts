import type { StandardIssue } from './standard-schema.ts'

/** Formats issues, each on a line: `items.0.sku: Required`. */
export function describeIssues(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ path, message }) => {
      const keys = path?.map((step) => String(typeof step === 'object' ? step.key : step))
      return keys?.length ? `${keys.join('.')}: ${message}` : message
    })
    .join('\n')
}
