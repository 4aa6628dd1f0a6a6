import type { JsonValue } from '../../protocol/json.ts'
import { stepsOf } from './pointer.ts'
import type { SchemaIssue } from './validator.ts'

/** Describes an issue: where it is, what is wrong, and the value found there. */
export function issueWords(issue: SchemaIssue, input: JsonValue): string {
  const place = stepsOf(issue.path).join('.')
  const subject = place === '' ? 'the input' : `'${place}'`
  // A value that couldn't be checked (no keyword) can't be written as JSON, either.
  const value = issue.keyword === '' ? undefined : valueAt(input, issue.path)
  const got = value === undefined ? '' : `, got ${preview(value)}`
  return `${subject} ${issue.message}${got}`
}

function preview(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

function valueAt(input: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = input
  for (const key of stepsOf(pointer)) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined
    value = (value as { readonly [key: string]: JsonValue })[key]
  }
  return value
}
