/** A reference within or between schemas, cut at its fragment. */
interface SchemaUri {
  readonly uri: string
  readonly fragment?: string
}

const ROOT = 'schema:///'

/**
 * ajv's `uriResolver` on top of the platform's own URL parser. It resolves `$ref`s against `$id`s;
 * ajv's default brings a parser of its own that is a twentieth of the worker.
 */
export const schemaUri = {
  parse(text: string): SchemaUri {
    const [uri = '', ...fragment] = text.split('#')
    return fragment.length > 0 ? { uri, fragment: fragment.join('#') } : { uri }
  },
  serialize({ uri, fragment }: SchemaUri): string {
    return fragment === undefined ? uri : `${uri}#${fragment}`
  },
  resolve(base: string, reference: string): string {
    const { href } = new URL(reference, new URL(base, ROOT))
    return href.startsWith(ROOT) ? href.slice(ROOT.length) : href
  },
}
