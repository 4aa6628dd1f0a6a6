import { isRecord } from '../../lib/is-record.ts'

/** Keywords whose value is a schema. */
export const ONE_SCHEMA: ReadonlySet<string> = wordSet(
  'not if then else items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties',
)
/** Keywords whose value is a list of schemas. */
export const SCHEMA_LIST: ReadonlySet<string> = wordSet('allOf anyOf oneOf prefixItems')
/** Keywords whose value holds schemas by name. */
export const NAMED_SCHEMAS: ReadonlySet<string> = wordSet(
  'properties patternProperties dependentSchemas $defs definitions',
)
/** Other keywords of JSON Schema 2020-12, and those of earlier drafts and OpenAPI that are still in use. */
const OTHER_KEYWORDS = wordSet(
  '$anchor $async $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary additionalItems const contentEncoding contentMediaType contentSchema default dependencies dependentRequired deprecated description enum examples exclusiveMaximum exclusiveMinimum format id maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf nullable pattern readOnly required title type uniqueItems writeOnly',
)

/** All keywords, short ones first: for `typ`, the suggestion is `type` rather than `contentMediaType`. */
export const KEYWORDS: readonly string[] = [
  ...ONE_SCHEMA,
  ...SCHEMA_LIST,
  ...NAMED_SCHEMAS,
  ...OTHER_KEYWORDS,
].sort((a, b) => a.length - b.length)

/** Returns keywords that aren't part of JSON Schema, at any depth. Extensions like `x-order` are left out. */
export function unknownKeywords(schema: unknown): string[] {
  if (!isRecord(schema)) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    // Before 2020-12, `items` could also be a list.
    if (ONE_SCHEMA.has(keyword) || SCHEMA_LIST.has(keyword))
      return [value].flat().flatMap(unknownKeywords)
    if (NAMED_SCHEMAS.has(keyword) && isRecord(value))
      return Object.values(value).flatMap(unknownKeywords)
    return KEYWORDS.includes(keyword) || keyword.startsWith('x-') ? [] : [keyword]
  })
}

function wordSet(text: string): Set<string> {
  return new Set(text.split(' '))
}
