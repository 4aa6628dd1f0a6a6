import { isRecord } from '../lib/shape.ts'
import { findReference } from './find-reference.ts'
import { badRequest, RelayError } from './relay-error.ts'
import type { Body, WireFormat } from './wire-format.ts'

/** Rules for the body of a page's request. */
export interface BodyRules {
  readonly models: ReadonlySet<unknown>
  /** Fields to pass on in addition to the format's own. */
  readonly fields: ReadonlySet<unknown>
  /** Types of tools to pass on in addition to functions. */
  readonly toolTypes: ReadonlySet<unknown>
  readonly references: boolean
  readonly maxOutputTokens: number
}

/**
 * Builds the body to send from the parsed body. The original text is never sent: with a duplicate key it could name one
 * model here and another at the vendor. Throws a `RelayError` if the rules refuse a field.
 */
export function checkBody(body: unknown, format: WireFormat, rules: BodyRules): Body {
  if (!isRecord(body)) throw badRequest('The body must be a JSON object.')
  checkModel(body['model'], rules)
  checkFields(body, format, rules)
  checkTools(body['tools'], format, rules)
  const reference = findReference(body, rules)
  if (reference !== undefined)
    throw badRequest(`The relay passes text, calls and inline files only, and no \`${reference}\`.`)
  return { ...body, ...outputLimits(body, format, rules) }
}

function checkModel(model: unknown, { models }: BodyRules): void {
  if (typeof model !== 'string') throw badRequest('`model` must be a string.')
  if (models.has(model)) return
  throw new RelayError('model_not_found', `The relay does not offer the model ${quoted(model)}.`)
}

function checkFields(body: Body, format: WireFormat, { fields }: BodyRules): void {
  if (typeof (body['stream'] ?? true) !== 'boolean')
    throw badRequest('`stream` must be true or false.')
  for (const name of Object.keys(body)) {
    if (format.fields.has(name) || fields.has(name)) continue
    // OpenAI stores requests without `store: false`.
    if (name === 'store' && body[name] === false) continue
    throw badRequest(`The relay does not pass the field ${quoted(name)}.`)
  }
}

/** Refuses tools other than functions, unless allowed: they run at the vendor, at their own price. */
function checkTools(tools: unknown, format: WireFormat, { toolTypes }: BodyRules): void {
  if (tools === undefined) return
  if (!Array.isArray(tools)) throw badRequest('`tools` must be an array.')
  for (const tool of tools as readonly unknown[]) {
    const type = isRecord(tool) ? tool['type'] : null
    if (type === 'function' || type === 'custom' || toolTypes.has(type)) continue
    if (type === undefined && format.hasUntypedTools) continue
    throw badRequest(`The relay passes tools of the page only, and not ${quoted(type)}.`)
  }
}

/** The lowest limit of request and relay, in the one field that the server knows. Lowers reasoning budgets below it. */
function outputLimits(
  body: Body,
  { outputLimits: names }: WireFormat,
  { maxOutputTokens }: BodyRules,
): Body {
  const given = names.map((name) => checkLimit(name, body[name]))
  const limit = Math.min(maxOutputTokens, ...given)
  return {
    ...Object.fromEntries(names.map((name) => [name, undefined])),
    [names[0]]: limit,
    ...lowered(body, 'thinking', { budget: 'budget_tokens', limit }),
    ...lowered(body, 'reasoning', { budget: 'max_tokens', limit }),
  }
}

function lowered(
  body: Body,
  field: string,
  { budget, limit }: { budget: string; limit: number },
): Body {
  const value = body[field]
  if (!isRecord(value) || (value[budget] ?? null) === null) return {}
  // Anthropic refuses a budget that leaves no tokens for the answer.
  const lower = Math.min(checkLimit(budget, value[budget]), Math.max(limit - 1, 1))
  return { [field]: { ...value, [budget]: lower } }
}

function checkLimit(name: string, limit: unknown): number {
  if ((limit ?? null) === null) return Infinity
  if (!Number.isSafeInteger(limit) || Number(limit) < 1)
    throw badRequest(`\`${name}\` must be a whole number above 0.`)
  return Number(limit)
}

/** Quotes the page's input in an error, shortened. */
function quoted(words: unknown): string {
  return `\`${typeof words === 'string' ? words.slice(0, 60) : typeof words}\``
}
