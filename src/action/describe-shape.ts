import type { SchemaReader, Shape } from './schema.ts'

const maxDepth = 3

/**
 * The words for a schema in errors and prompts: `integer`, `one of left, right`, and with a reader
 * also what is inside: `list of string`, `object { zip: string, city?: string }`.
 */
export function describeShape(shape: Shape, reader?: SchemaReader, depth: number = 0): string {
  if (shape.options) return describeOptions(shape.options)
  if (shape.branches)
    return [...new Set(shape.branches.map((branch) => describeShape(branch, reader, depth)))].join(
      ' or ',
    )
  const words = shape.types.map((type) => {
    if (type === 'array') return describeList(shape, reader, depth)
    return type === 'object' ? describeObject(shape, reader, depth) : type
  })
  return words.join(' or ') || 'any value'
}

function describeList(shape: Shape, reader: SchemaReader | undefined, depth: number): string {
  if (!reader || depth >= maxDepth) return 'list'
  return `list of ${describeShape(reader.shape(shape.itemAt(0)), reader, depth + 1)}`
}

function describeObject(shape: Shape, reader: SchemaReader | undefined, depth: number): string {
  if (!reader || depth >= maxDepth || shape.properties.size === 0) return 'object'
  const entries = [...shape.properties].map(([name, schema]) => {
    const mark = shape.required.has(name) ? '' : '?'
    return `${name}${mark}: ${describeShape(reader.shape(schema), reader, depth + 1)}`
  })
  return `object { ${entries.join(', ')} }`
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
