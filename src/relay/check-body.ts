import { isRecord } from '../lib/shape.ts'
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
  throw new RelayError('model_not_found', `The relay does not offer the model ${quote(model)}.`)
}

function checkFields(body: Body, format: WireFormat, { fields }: BodyRules): void {
  if (typeof (body['stream'] ?? true) !== 'boolean')
    throw badRequest('`stream` must be true or false.')
  for (const name of Object.keys(body)) {
    if (format.fields.has(name) || fields.has(name)) continue
    // OpenAI stores requests without `store: false`.
    if (name === 'store' && body[name] === false) continue
    throw badRequest(`The relay does not pass the field ${quote(name)}.`)
  }
}

/** Refuses tools other than functions, unless allowed: they run at the vendor, at their own price. */
function checkTools(tools: unknown, format: WireFormat, { toolTypes }: BodyRules): void {
  if (tools === undefined) return
  if (!Array.isArray(tools)) throw badRequest('`tools` must be an array.')
  for (const tool of tools as readonly unknown[]) {
    const type = isRecord(tool) ? tool['type'] : null
    if (type === 'function' || type === 'custom' || toolTypes.has(type)) continue
    if (type === undefined && format.api === 'messages') continue
    throw badRequest(`The relay passes tools of the page only, and not ${quote(type)}.`)
  }
}

/**
 * Limits the output to the lowest limit of request and relay, in the one field that the server knows. Reduces reasoning
 * budgets to less than that limit.
 */
function outputLimits(
  body: Body,
  { outputLimits: names }: WireFormat,
  { maxOutputTokens }: BodyRules,
): Body {
  const limits = names.map((name) => checkLimit(name, body[name]))
  const limit = Math.min(maxOutputTokens, ...limits)
  return {
    ...Object.fromEntries(names.map((name) => [name, undefined])),
    [names[0]]: limit,
    ...lowerBudget(body, 'thinking', { budget: 'budget_tokens', limit }),
    ...lowerBudget(body, 'reasoning', { budget: 'max_tokens', limit }),
  }
}

function lowerBudget(
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
function quote(input: unknown): string {
  return `\`${typeof input === 'string' ? input.slice(0, 60) : typeof input}\``
}

/** Types of items, parts, sources and choices whose data is in the request. */
const TYPES = new Set(
  `message function_call function_call_output custom_tool_call custom_tool_call_output reasoning
  text input_text output_text refusal summary_text reasoning_text thinking redacted_thinking
  reasoning.text reasoning.summary reasoning.encrypted url_citation char_location page_location
  image image_url input_image video_url audio_url input_audio file input_file document base64 content
  tool_use tool_result server_tool_use direct compaction function custom ephemeral auto any tool none
  allowed_tools`.split(/\s+/),
)
const REFERENCE_TYPES = new Set(['item_reference', 'url', 'video'])

/** Text fields, in which an address is only text. */
const TEXTS = new Set(
  `text content output system instructions thinking reasoning reasoning_content summary refusal
  title context name filename cited_text id call_id tool_call_id tool_use_id tool_id`.split(/\s+/),
)
/** Fields with the arguments of a tool. The page chooses the names in them. */
const ARGUMENTS = new Set(['arguments', 'input'])

/**
 * Fields with content. An id without any of them refers to data stored at the vendor: an item_reference, even without
 * `type`, or `{ id, type: 'reasoning' }`. A reasoning item's `summary` list doesn't count: the model doesn't get it.
 */
const CONTENTS = 'content encrypted_content name function output text data signature'.split(' ')

/**
 * Matches a URL. URL parsers ignore control characters and spaces before the scheme, and some inside it. Prose doesn't
 * match, since a space follows its colons.
 */
const ADDRESS = /^[\0- ]*(?!data:)[a-z][a-z\d+.\-\t\n\r]*:[\t\n\r]*\S/i

interface ReferenceRules {
  readonly toolTypes: ReadonlySet<unknown>
  readonly references: boolean
}

interface BodyField {
  readonly key: string
  readonly value: unknown
  readonly parent: Body
  /** Whether the field is inside an item of a tool that the relay allows. */
  readonly isTool: boolean
}

/**
 * Finds the first reference in a body to data outside the request: an item of another type, an id, or an address. An id
 * can refer to any data stored with the same key. An address would be fetched from within the model server's network.
 */
function findReference(body: Body, rules: ReferenceRules): string | undefined {
  for (const field of collectFields(body, (type) => belongsToTool(type, rules.toolTypes))) {
    const { key, value } = field
    if (key === 'type') {
      if (!isAllowed(field, rules)) return `${String(value)}`.slice(0, 60)
    } else if (!rules.references && isReference(field)) return key
  }
  return undefined
}

/** All fields of messages, items and parts, at any depth. Not recursive: deep bodies would overflow the call stack. */
export function collectFields(
  body: Body,
  isToolType: (type: unknown) => boolean = () => false,
): BodyField[] {
  const { messages, input, system, instructions, tool_choice: choice } = body
  const value = { messages, content: input, system, instructions, choice }
  const fields: BodyField[] = [{ key: '', value, parent: {}, isTool: false }]
  // The loop also visits the values that it appends.
  for (const { key, value, parent, isTool } of fields) {
    if (Array.isArray(value))
      for (const each of value as readonly unknown[])
        fields.push({ key, value: each, parent, isTool })
    else if (isRecord(value)) {
      // A message never belongs to a tool, whatever its type.
      const isOwn = key !== 'tools' && !('role' in value) && (isTool || isToolType(value['type']))
      for (const [name, each] of Object.entries(value))
        if (!ARGUMENTS.has(name))
          fields.push({ key: name, value: each, parent: value, isTool: isOwn })
    }
  }
  return fields
}

/**
 * Whether an item's type has the first word of an allowed tool: `bash_code_execution_result` belongs to
 * `code_execution_20250825`. An `image_url` belongs to no tool, though `image_generation` begins alike.
 */
function belongsToTool(type: unknown, toolTypes: ReadonlySet<unknown>): boolean {
  if (TYPES.has(type as string) || REFERENCE_TYPES.has(type as string)) return false
  return [...toolTypes].some((tool) =>
    `_${String(type)}_`.includes(`_${String(tool).split('_')[0]}_`),
  )
}

function isAllowed({ value, isTool }: BodyField, { references }: ReferenceRules): boolean {
  return (
    isTool || TYPES.has(value as string) || (references && REFERENCE_TYPES.has(value as string))
  )
}

/**
 * Whether a field refers to data outside the request. A tool's text, such as a search for `site:shop.example`, doesn't.
 */
function isReference({ key, value, parent, isTool }: BodyField): boolean {
  if (key === 'id')
    // Excludes OpenRouter's `reasoning`, in which `summary` is a text.
    return (
      !isTool &&
      typeof parent['summary'] !== 'string' &&
      !CONTENTS.some((name) => isFull(parent[name]))
    )
  if (TEXTS.has(key)) return false
  if (/_ids?$/.test(key)) return true
  if (key === 'url' && (isTool || parent['type'] === 'url_citation')) return false
  if (key === 'data' && parent['type'] === 'text') return false
  if (key.endsWith('url') && !(key !== 'url' && isRecord(value)))
    return !(typeof value === 'string' && /^data:/i.test(value))
  return !isTool && typeof value === 'string' && ADDRESS.test(value)
}

function isFull(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : (value ?? '') !== ''
}
