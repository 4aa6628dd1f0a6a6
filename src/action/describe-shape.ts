import type { Shape } from './schema.ts'

/** The words for a schema in errors and prompts: `integer`, `one of left, right`, `list of string`. */
export function describeShape(shape: Shape): string {
  if (shape.options) return describeOptions(shape.options)
  if (shape.branches) return [...new Set(shape.branches.map(describeShape))].join(' or ')
  return shape.types.join(' or ') || 'any value'
}

function describeOptions(options: readonly unknown[]): string {
  const words = options.map((option) =>
    typeof option === 'string' ? option : JSON.stringify(option),
  )
  return words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`
}

/** What was written, cut to a length that fits an error. */
export function quote(text: string): string {
  return text.length > 80 ? `'${text.slice(0, 77)}…'` : `'${text}'`
}
