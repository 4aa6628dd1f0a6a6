import type { JsonSchema } from '../../../protocol/json.ts'

/** A parameter, or one key of a destructured parameter. */
export interface Parameter {
  /** Missing for a destructured parameter. */
  readonly name?: string
  /** True for a parameter with a default value and for a rest parameter. */
  readonly isOptional: boolean
  readonly isRest: boolean
  /** Inferred from the default value or the destructuring pattern. */
  readonly schema: JsonSchema
}

/** Parameters of a function, as far as its source text reveals them. */
export type Signature =
  | { readonly kind: 'class' }
  /** The function is native, bound or proxied, or has a parameter that can't be parsed. */
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'function'; readonly parameters: readonly Parameter[] }

const CLASS = /^(?:@|class(?![\p{ID_Continue}$])(?!\s*\())/u

export function readSignature(fn: object): Signature {
  const text = textOf(fn)
  if (CLASS.test(text)) return { kind: 'class' }
  const parameters = isNative(fn) ? undefined : readParameters(text)
  return parameters ? { kind: 'function', parameters } : { kind: 'unreadable' }
}

/** Whether the source text is hidden. Bound and proxied functions hide it, too. */
export function isNative(fn: object): boolean {
  return /\{\s*\[native code\]\s*\}\s*$/.test(textOf(fn))
}

/** Source text of a function. Reads no properties, because the function may be a proxy. */
export function textOf(fn: object): string {
  return Function.prototype.toString.call(fn)
}

function readParameters(text: string): Parameter[] | undefined {
  const head = readHead(text)
  const last = head?.at(-1)
  // Finds a parameter without parentheses: `x => …`, `async x => …`
  const list = last?.kind === 'group' ? last.inner : head?.slice(-2, -1)
  const parameters = list && splitAtCommas(list).map(readParameter)
  if (!parameters?.every((each) => each !== undefined)) return undefined
  const names = parameters.flatMap(({ name }) => name ?? [])
  return new Set(names).size === names.length ? parameters : undefined
}

function readParameter(tokens: readonly Token[]): Parameter | undefined {
  const isRest = tokens[0]?.text === '...'
  const [target, equals, ...value] = isRest ? tokens.slice(1) : tokens
  if (!target || (equals && (equals.text !== '=' || !value.length))) return undefined
  const schema = isRest ? { type: 'array', items: {} } : schemaOf(target, value)
  if (!schema || (target.kind !== 'word' && target.kind !== 'group')) return undefined
  return {
    ...(target.kind === 'word' && { name: target.text }),
    isOptional: isRest || equals !== undefined,
    isRest,
    schema,
  }
}

/**
 * Returns the schema of a parameter. Undefined for a destructuring pattern with unknown keys, such as computed keys.
 */
function schemaOf(target: Token, value: readonly Token[]): JsonSchema | undefined {
  if (target.kind !== 'group') return schemaOfDefault(value)
  if (target.text === '[') return { type: 'array', items: {} }
  const fields = splitAtCommas(target.inner)
  const isOpen = fields.some(([first]) => first?.text === '...')
  const keys = fields.filter(([first]) => first?.text !== '...').map(readKey)
  if (!keys.every((each) => each !== undefined)) return undefined
  return objectSchema(keys, isOpen)
}

/** Reads a key of a destructuring pattern: `key`, `key = 1`, `key: target`, `'key': target = 1`. */
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
export function objectSchema(keys: readonly Parameter[], isOpen = false): JsonSchema {
  const named = keys.flatMap((key) => (key.name === undefined ? [] : [{ ...key, name: key.name }]))
  return {
    type: 'object',
    properties: Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
    required: [...new Set(named.filter((key) => !key.isOptional).map(({ name }) => name))],
    ...(!isOpen && { additionalProperties: false }),
  }
}

/** Returns the schema of a default value. Also understands minified values: `!0`, `void 0`. */
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

/** Splits at commas. Ignores a trailing comma. */
function splitAtCommas(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens)
    if (token.kind === 'sign' && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  if (!parts.at(-1)?.length) parts.pop()
  return parts
}

/** A token of JavaScript. Brackets and everything inside them form a group. */
type Token =
  | { readonly kind: Kind; readonly text: string }
  | { readonly kind: 'group'; readonly text: Opener; readonly inner: readonly Token[] }

type Kind = 'word' | 'number' | 'string' | 'template' | 'pattern' | 'sign'
type Opener = '(' | '[' | '{'

const GAP = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y
const PATTERN = /\/(?![*/])(?:[^\\/[\n\r]|\\[^\n\r]|\[(?:[^\]\\\n\r]|\\[^\n\r])*\])+\/\w*/y
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[^]|\$(?!\{))*/y
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['word', /[\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*/uy],
  ['number', /(?:0[xob][\da-f_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?[\d_]+)?)n?/iy],
  ['string', /"(?:[^"\\\n\r]|\\(?:\r\n|[^]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[^]))*'/y],
  ['sign', /(?!<!--|-->)(?:=>|\.{3}|\+\+|--|[=,;:?.<>!&|^~+\-*/%#])/y],
]

const CLOSERS = { '(': ')', '[': ']', '{': '}', '${': '}' } as const

/** After these words, `/` begins a regular expression. */
const BEFORE_VALUE = /^(?:case|delete|do|else|extends|in|instanceof|new|return|throw|typeof|void)$/
/** Words that are names or keywords, depending on their place. */
const CONTEXTUAL = /^(?:await|of|yield)$/
/** Parentheses after these words hold a condition, not a value. */
const BEFORE_CONDITION = /^(?:if|while|for|with)$/

/** Maximum levels of nested brackets. No real parameter list is deeper. */
const MAX_DEPTH = 100

interface Frame {
  readonly open: keyof typeof CLOSERS
  readonly inner: Token[]
  /** True for the parentheses of `if (…)` and similar statements, which don't end a value. */
  readonly isCondition: boolean
}

/**
 * Reads the tokens before a function's body: up to the end of its first parentheses, or to `=>`. Returns undefined for
 * ambiguous text, because a wrong guess could mistake a `)` in a regular expression for the end. Doesn't support
 * HTML-like comments. Takes linear time.
 */
export function readHead(text: string): Token[] | undefined {
  const top: Frame = { open: '(', inner: [], isCondition: false }
  const frames: Frame[] = [top]
  const conditions = new WeakSet<Token>()
  let at = 0
  const readMatch = (expression: RegExp): string | undefined => {
    expression.lastIndex = at
    const match = expression.exec(text)?.[0]
    at += match?.length ?? 0
    return match
  }
  /**
   * Reads on after the opening backtick, or after the `}` of a `${…}`. Returns false if the text ends within the
   * template.
   */
  const readTemplate = (frame: Frame): boolean => {
    readMatch(TEMPLATE_TEXT)
    const isEnd = text[at] === '`'
    if (isEnd) frame.inner.push({ kind: 'template', text: '`' })
    else frames.push({ open: '${', inner: [], isCondition: false })
    at += isEnd ? 1 : 2
    return at <= text.length
  }

  while (at < text.length && frames.length < MAX_DEPTH) {
    readMatch(GAP)
    const frame = frames.at(-1) ?? top
    const { inner } = frame
    const char = text[at]
    if (char === '`') {
      at += 1
      if (!readTemplate(frame)) return undefined
    } else if (char === '(' || char === '[' || char === '{') {
      if (frame === top && char === '{') return undefined
      frames.push({ open: char, inner: [], isCondition: char === '(' && isConditionNext(inner) })
      at += 1
    } else if (char === ')' || char === ']' || char === '}') {
      const outer = frames.at(-2)
      if (!outer || CLOSERS[frame.open] !== char) return undefined
      frames.pop()
      at += 1
      if (frame.open === '${') {
        if (!readTemplate(outer)) return undefined
        continue
      }
      const group: Token = { kind: 'group', text: frame.open, inner }
      if (frame.isCondition) conditions.add(group)
      outer.inner.push(group)
      if (outer === top && char === ')') return top.inner
    } else {
      const token = readToken(readMatch, char === '/' ? classifySlash(inner, conditions) : 'sign')
      if (!token) return undefined
      inner.push(token)
      if (frame === top && token.text === '=>') return top.inner
    }
  }
  return undefined
}

function readToken(
  readMatch: (expression: RegExp) => string | undefined,
  slash: 'sign' | 'pattern' | 'unclear',
): Token | undefined {
  if (slash === 'unclear') return undefined
  if (slash === 'pattern') {
    const text = readMatch(PATTERN)
    return text === undefined ? undefined : { kind: 'pattern', text }
  }
  for (const [kind, expression] of KINDS) {
    const text = readMatch(expression)
    if (text !== undefined) return { kind, text }
  }
  return undefined
}

/** Whether a `/` after these tokens divides or begins a regular expression. */
function classifySlash(
  inner: readonly Token[],
  conditions: WeakSet<Token>,
): 'sign' | 'pattern' | 'unclear' {
  const last = inner.at(-1)
  switch (last?.kind) {
    case undefined:
      return 'pattern'
    case 'sign':
      return last.text === '++' || last.text === '--' ? 'unclear' : 'pattern'
    case 'word':
      if (isProperty(inner)) return 'sign'
      if (CONTEXTUAL.test(last.text)) return 'unclear'
      return BEFORE_VALUE.test(last.text) ? 'pattern' : 'sign'
    case 'group':
      // The `}` ends an object or a block, which the tokens don't reveal.
      if (last.text === '{') return 'unclear'
      return conditions.has(last) ? 'pattern' : 'sign'
    case 'number':
    case 'string':
    case 'template':
    case 'pattern':
      return 'sign'
    default:
      return last satisfies never
  }
}

function isConditionNext(inner: readonly Token[]): boolean {
  const last = inner.at(-1)
  // Skips `await`, for `for await (…)`.
  const word = last?.text === 'await' ? inner.at(-2) : last
  return word?.kind === 'word' && BEFORE_CONDITION.test(word.text) && !isProperty(inner)
}

/** Whether the last word is a property name, as in `a.return`. */
function isProperty(inner: readonly Token[]): boolean {
  const before = inner.at(-2)
  return before?.kind === 'sign' && /^[.#]$/.test(before.text)
}

/** Two-letter names that people write. */
const SHORT_NAMES = /^(?:id|to|by|at|on|of|up|no|ms|px|kg|cm)$/

/** Whether most names are as short as a minifier's. */
export function looksMinified(names: readonly string[]): boolean {
  return (
    names.filter((name) => name.length <= 2 && !SHORT_NAMES.test(name)).length > names.length / 2
  )
}
