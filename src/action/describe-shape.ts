import type { SchemaReader, Shape } from './schema.ts'

const maxDepth = 3

/**
 * Describes a schema in errors and prompts: `integer`, `one of left, right`. With a reader, also describes
 * nested schemas: `list of string`, `object { zip: string, city?: string }`.
 */
export function describeShape(shape: Shape, reader?: SchemaReader, depth: number = 0): string {
  if (shape.options) return describeOptions(shape.options)
  if (shape.branches)
    return [...new Set(shape.branches.map((branch) => describeShape(branch, reader, depth)))].join(
      ' or ',
    )
  const names = shape.types.map((type) => {
    if (type === 'array') return describeList(shape, reader, depth)
    return type === 'object' ? describeObject(shape, reader, depth) : type
  })
  return names.join(' or ') || 'any value'
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
  const names = options.map((option) =>
    typeof option === 'string' ? option : JSON.stringify(option),
  )
  return names.length === 1 ? `${names[0]}` : `one of ${names.join(', ')}`
}

/** A value in quotation marks, shortened to fit an error. */
export function quote(text: string): string {
  return text.length > 80 ? `'${text.slice(0, 77)}…'` : `'${text}'`
}
