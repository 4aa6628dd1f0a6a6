interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly $defs?: { readonly [name: string]: Schema }
}

/** The TypeScript type that a JSON Schema describes. Throws for a keyword that it doesn't know. */
export function schemaAsType(root: Schema): string {
  const typeOf = (schema: Schema): string => {
    if (schema.$ref !== undefined) return typeOf(targetOf(root, schema.$ref))
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
    switch (schema.type) {
      case 'string':
      case 'number':
      case 'boolean':
        return schema.type
      case 'array':
        return `readonly (${typeOf(schema.items ?? {})})[]`
      case 'object':
        return objectType(schema)
      case undefined:
        return 'unknown'
      default:
        throw new Error(`No type for ${JSON.stringify(schema)}`)
    }
  }
  const objectType = ({ properties = {}, required = [], additionalProperties }: Schema): string => {
    const fields = Object.entries(properties).map(
      ([name, schema]) =>
        `readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
    )
    if (typeof additionalProperties === 'object')
      fields.push(`readonly [name: string]: ${typeOf(additionalProperties)}`)
    else if (additionalProperties !== false) throw new Error('An object must be closed.')
    return `{ ${fields.join('; ')} }`
  }
  return typeOf(root)
}

function targetOf(root: Schema, reference: string): Schema {
  const path = reference.replace(/^#\//, '').split('/')
  const target = path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    root,
  )
  if (!target) throw new Error(`${reference} leads nowhere.`)
  return target as Schema
}
