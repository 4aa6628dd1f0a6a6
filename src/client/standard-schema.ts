/**
 * The parts of Standard Schema and Standard JSON Schema (https://standardschema.dev) that are used
 * here. A schema may be a function (ArkType).
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly vendor: string
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: {
      input(options: { readonly target: 'draft-2020-12' }): Record<string, unknown>
    }
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    '~standard' in value
  )
}

/** One line an issue: `items.0.sku: Required`. */
export function describeIssues(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ path, message }) => {
      const keys = path?.map((step) => String(typeof step === 'object' ? step.key : step))
      return keys?.length ? `${keys.join('.')}: ${message}` : message
    })
    .join('\n')
}
