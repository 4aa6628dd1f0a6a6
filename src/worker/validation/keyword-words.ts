/** Makes the message that follows the value's name. `limit` is the keyword's value, `said` the library's sentence. */
type Words = (limit: unknown, said: string) => string | null

const WORDS: Readonly<Record<string, Words>> = {
  type: (limit) => `must be ${[limit].flat().join(' or ')}`,
  enum: (limit) => `must be one of ${short([limit].flat().map(json).join(', '))}`,
  const: (limit) => `must be ${json(limit)}`,
  required: (_limit, said) => `must have required property ${quoted(said)}`,
  dependentRequired: dependent,
  dependencies: dependent,
  additionalProperties: withoutNamed,
  unevaluatedProperties: withoutNamed,
  propertyNames: (limit, said) =>
    `must not have the property ${quoted(said)}: names must fit ${json(limit)}`,
  minProperties: (limit) => `must have ${String(limit)} properties or more`,
  maxProperties: (limit) => `must have ${String(limit)} properties or fewer`,
  minItems: (limit) => `must have ${String(limit)} items or more`,
  maxItems: (limit) => `must have ${String(limit)} items or fewer`,
  contains: (limit) => `must have an item that fits ${json(limit)}`,
  minContains: (limit) => `must have ${String(limit)} items or more that fit "contains"`,
  maxContains: (limit) => `must have ${String(limit)} items or fewer that fit "contains"`,
  uniqueItems: (_limit, said) =>
    `must have each item once, and has the same at ${(said.match(/\d+/g) ?? []).join(' and ')}`,
  minimum: (limit) => `must be ${String(limit)} or more`,
  maximum: (limit) => `must be ${String(limit)} or less`,
  exclusiveMinimum: (limit) => `must be more than ${String(limit)}`,
  exclusiveMaximum: (limit) => `must be less than ${String(limit)}`,
  multipleOf: (limit) => `must be a multiple of ${String(limit)}`,
  minLength: (limit) => `must have ${String(limit)} characters or more`,
  maxLength: (limit) => `must have ${String(limit)} characters or fewer`,
  pattern: (limit) => `must match the pattern ${String(limit)}`,
  anyOf: () => 'must fit one or more of the schemas in anyOf',
  oneOf: (_limit, said) =>
    `must fit exactly one of the schemas in oneOf, and fits ${/\d+/.exec(said)?.[0]}`,
  not: (limit) => `must not fit ${json(limit)}`,
  false: () => 'must not be there',
}

/** Message for a failed keyword. Null if it only reports that something below it failed. */
export function wordsOf(keyword: string, limit: unknown, said: string): string | null {
  return WORDS[keyword]?.(limit, said) ?? null
}

function dependent(_limit: unknown, said: string): string | null {
  const [, name, missing] = /^Instance has "(.*)" but does not have "(.*)"\.$/s.exec(said) ?? []
  return name === undefined ? null : `must have '${missing}' where it has '${name}'`
}

function withoutNamed(limit: unknown, said: string): string | null {
  return limit === false ? `must not have the property ${quoted(said)}` : null
}

/** The name in one of the library's sentences. */
function quoted(said: string): string {
  return `'${/"(.*)"/s.exec(said)?.[1]}'`
}

function json(value: unknown): string {
  return short(JSON.stringify(value) ?? 'nothing')
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
