import type { JsonSchema } from '../../protocol/json.ts'
import { readHead, type Token } from './tokens.ts'

/** One parameter, or one key of a destructured one. */
export interface Parameter {
  /** Absent: it is destructured, and has none. */
  readonly name?: string
  /** It has a default, or takes the rest. */
  readonly isOptional: boolean
  readonly isRest: boolean
  /** As far as its default shows it, or its pattern. */
  readonly schema: JsonSchema
}

/** What a function's own text says. */
export type Signature =
  | { readonly kind: 'class' }
  /** Native, bound, proxied, or with a parameter that isn't understood. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'function'; readonly parameters: readonly Parameter[] }

const CLASS = /^(?:@|class(?![\p{ID_Continue}$])(?!\s*\())/u

export function readSignature(fn: object): Signature {
  const text = textOf(fn)
  if (CLASS.test(text)) return { kind: 'class' }
  const parameters = isNative(fn) ? undefined : readParameters(text)
  return parameters ? { kind: 'function', parameters } : { kind: 'unreadable' }
}

/** Bound and proxied functions give the same text. */
export function isNative(fn: object): boolean {
  return /\{\s*\[native code\]\s*\}\s*$/.test(textOf(fn))
}

/** Asks nothing of the function itself, which may be a proxy. */
export function textOf(fn: object): string {
  return Function.prototype.toString.call(fn)
}

function readParameters(text: string): Parameter[] | undefined {
  const head = readHead(text)
  const last = head?.at(-1)
  // `x => …`, `async x => …`
  const list = last?.kind === 'group' ? last.inner : head?.slice(-2, -1)
  const parameters = list && splitAtCommas(list).map(readParameter)
  if (!parameters?.every((each) => each !== undefined)) return undefined
  const names = parameters.flatMap(({ name }) => name ?? [])
  return new Set(names).size === names.length ? parameters : undefined
}

function readParameter(tokens: readonly Token[]): Parameter | undefined {
  const isRest = tokens[0]?.text === '...'
  const [target, sign, ...value] = isRest ? tokens.slice(1) : tokens
  if (!target || (sign && (sign.text !== '=' || !value.length))) return undefined
  const schema = isRest ? { type: 'array', items: {} } : schemaOf(target, value)
  if (!schema || (target.kind !== 'word' && target.kind !== 'group')) return undefined
  return {
    ...(target.kind === 'word' && { name: target.text }),
    isOptional: isRest || sign !== undefined,
    isRest,
    schema,
  }
}

/** Undefined for a pattern with keys that can't be known. */
function schemaOf(target: Token, value: readonly Token[]): JsonSchema | undefined {
  if (target.kind !== 'group') return schemaOfDefault(value)
  if (target.text === '[') return { type: 'array', items: {} }
  const fields = splitAtCommas(target.inner)
  const open = fields.some(([first]) => first?.text === '...')
  const keys = fields.filter(([first]) => first?.text !== '...').map(readKey)
  if (!keys.every((each) => each !== undefined)) return undefined
  return objectSchema(keys, open)
}

/** `key`, `key = 1`, `key: target`, `'key': target = 1`. */
function readKey(tokens: readonly Token[]): Parameter | undefined {
  const [key, colon] = tokens
  const name = key && nameOfKey(key)
  if (name === undefined) return undefined
  const target = readParameter(colon?.text === ':' ? tokens.slice(2) : tokens)
  return target && { ...target, name }
}

function nameOfKey(key: Token): string | undefined {
  if (key.kind === 'word') return key.text
  if (key.kind === 'string' && !key.text.includes('\\')) return key.text.slice(1, -1)
  return key.kind === 'number' && /^\d+$/.test(key.text) ? key.text : undefined
}

/** The schema of an object with these keys. */
export function objectSchema(keys: readonly Parameter[], open = false): JsonSchema {
  const named = keys.flatMap((key) => (key.name === undefined ? [] : [{ ...key, name: key.name }]))
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
    required: [...new Set(named.filter((key) => !key.isOptional).map(({ name }) => name))],
    ...(!open && { additionalProperties: false }),
  }
}

/** Also as minifiers write it: `!0`, `void 0`. */
function schemaOfDefault(value: readonly Token[]): JsonSchema {
  const [first, second] = value
  if (value.length === 2 && second?.kind === 'number' && !second.text.endsWith('n')) {
    if (first?.text === '!') return { type: 'boolean' }
    if (first?.text === '-' || first?.text === '+') return { type: 'number' }
  }
  if (!first || value.length > 1) return {}
  switch (first.kind) {
    case 'string':
    case 'template':
      return { type: 'string' }
    case 'number':
      return first.text.endsWith('n') ? {} : { type: 'number' }
    case 'word':
      return /^(?:true|false)$/.test(first.text) ? { type: 'boolean' } : {}
    case 'group':
      if (first.text === '{') return { type: 'object' }
      return first.text === '[' ? { type: 'array', items: {} } : {}
    case 'pattern':
    case 'sign':
      return {}
    default:
      return first satisfies never
  }
}

/** A comma at the end adds nothing. */
function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens)
    if (token.kind === 'sign' && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  if (!parts.at(-1)?.length) parts.pop()
  return parts
}
