import { isInexact, JSON_TOKENS } from '../../lib/json/exact-numbers.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { CallError } from '../../protocol/message.ts'
import { asRecord, parseJson } from './read-json.ts'

/** A character that is invalid anywhere in JSON. Text that contains it never parses, so the call doesn't run. */
const UNREADABLE = '\u001a'

/** Returns a delta's arguments as text. Some servers send an object instead of a piece of text. */
export function asArguments(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value === 'string') return value
  const text = plainJson(value)
  return asRecord(value) && text !== undefined ? text : UNREADABLE + (text ?? '')
}

/** Like `asArguments`, for a piece that can't be an object. */
export function asPiece(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : UNREADABLE
}

/** Returns the value as JSON; undefined if it is too deep, or has a number that parsing may have rounded. */
function plainJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, item: unknown) => {
      if (typeof item === 'number' && !(Math.abs(item) <= Number.MAX_SAFE_INTEGER))
        throw new RangeError()
      return item
    })
  } catch {
    return undefined
  }
}

/** The input, or the reason why the call must not run. */
export type ParsedInput = { readonly input: JsonValue } | { readonly error: CallError }

/** Parses a call's complete argument text. Returns a JSON object (`null` becomes `{}`), or an error for the model. */
export function parseToolInput(text: string): ParsedInput {
  const input = parseJson(text) ?? parseJson(escapeLineBreaks(text))
  if (input === null) return { input: {} }
  const record = asRecord(input)
  const inexact = record && text.match(JSON_TOKENS)?.find(isInexact)
  if (record && !inexact) return { input: record as JsonValue }
  const message = inexact
    ? `The number ${inexact.slice(0, 60)} would be rounded. Send it as text, or with at most 15 digits.`
    : input === undefined
      ? `The arguments are not valid JSON (${reasonOf(text)}). Send the call again with valid JSON.`
      : 'The arguments must be a JSON object. Send the call again with an object.'
  return { error: { code: 'invalid-json', message } }
}

const escapes: { readonly [char: string]: string } = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Escapes raw line breaks and tabs inside strings, which small models write. They can mean nothing else in a string, so
 * the repair is unambiguous. Text with other mistakes still fails to parse.
 */
function escapeLineBreaks(text: string): string {
  return text.replace(JSON_TOKENS, (token) =>
    token.replace(/\\[^]|[\n\r\t]/g, (char) => escapes[char] ?? char),
  )
}

function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return 'unreadable'
  } catch (error) {
    return error instanceof Error ? error.message : 'unreadable'
  }
}
