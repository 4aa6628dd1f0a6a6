import type { StandardIssue } from './standard-schema.ts'

/** One line an issue: `items.0.sku: Required`. */
export function describeIssues(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ path, message }) => {
      const keys = path?.map((step) => String(typeof step === 'object' ? step.key : step))
      return keys?.length ? `${keys.join('.')}: ${message}` : message
    })
    .join('\n')
}
