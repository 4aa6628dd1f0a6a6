import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'

/** A call as a test wants it read. */
export interface Call {
  readonly toolName: string
  readonly input: JsonObject
}

const entries = (call: Call): [string, JsonValue][] => Object.entries(call.input)

/** `{"name": …, "arguments": …}`, under other keys where a format has them. */
export function named(call: Call, name: string = 'name', args: string = 'arguments'): string {
  return JSON.stringify({ [name]: call.toolName, [args]: call.input })
}

export function listed(
  calls: readonly Call[],
  name: string = 'name',
  args: string = 'arguments',
): string {
  return `[${calls.map((call) => named(call, name, args)).join(', ')}]`
}

/** A value where the format writes strings as they are, and all else as JSON. */
const raw = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** A value as the content of an element whose entities are decoded when it holds no `<` (R10, R11). */
export function markup(value: JsonValue): string {
  if (typeof value !== 'string')
    return JSON.stringify(value).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c')
  return value.includes('<') ? value : value.replaceAll('&', '&amp;')
}

/** A value in an ACTION block. */
export function inBlock(value: JsonValue): string {
  const isPlain = typeof value !== 'string' || (!value.includes('<') && value.trim() === value)
  return isPlain ? markup(value) : `<![CDATA[\n${value}\n]]>`
}

/** A Python literal. */
export function literal(value: JsonValue): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  return `{${Object.entries(value)
    .map(([key, entry]) => `${JSON.stringify(key)}: ${literal(entry)}`)
    .join(', ')}}`
}

export const python = (call: Call): string =>
  `${call.toolName}(${entries(call)
    .map(([key, value]) => `${key}=${literal(value)}`)
    .join(', ')})`

/** Gemma's own notation: bare keys, and strings between two marks. */
export function gemma(value: JsonValue, mark: string): string {
  if (typeof value === 'string') return mark + value + mark
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((entry) => gemma(entry, mark)).join(',')}]`
  return `{${Object.entries(value)
    .map(([key, entry]) => `${key}:${gemma(entry, mark)}`)
    .join(',')}}`
}

/** Opening and closing marks around each parameter of a call. */
export function parameters(
  call: Call,
  write: (name: string, value: JsonValue) => string,
  between: string = '\n',
): string {
  return entries(call)
    .map(([name, value]) => write(name, value))
    .join(between)
}

/** `<invoke name="…">` and its parameters, with a prefix before each element's name. */
export function invoke(call: Call, prefix: string = '', attributes: string = ''): string {
  const parts = parameters(
    call,
    (name, value) =>
      `<${prefix}parameter name="${name}"${attributes}>${markup(value)}</${prefix}parameter>\n`,
    '',
  )
  return `<${prefix}invoke name="${call.toolName}">\n${parts}</${prefix}invoke>`
}

/** GLM's pairs of elements. */
export function pairs(call: Call, prefix: string, line: string): string {
  return parameters(
    call,
    (name, value) =>
      `<${prefix}arg_key>${name}</${prefix}arg_key>${line}<${prefix}arg_value>${raw(value)}</${prefix}arg_value>${line}`,
    '',
  )
}

export const functionTag = (call: Call): string =>
  `<function=${call.toolName}>\n${parameters(
    call,
    (name, value) => `<parameter=${name}>\n${raw(value)}\n</parameter>\n`,
    '',
  )}</function>`
