import type { JsonValue } from '../../protocol/json.ts'
import type { SchemaIssue } from './validator.ts'

/** One issue in words: where it is, what is wrong, and what is there instead. */
export function issueWords(issue: SchemaIssue, input: JsonValue): string {
  const place = issue.path.replace(/^\//, '').replaceAll('/', '.')
  const subject = place === '' ? 'the input' : `'${place}'`
  const value = valueAt(input, issue.path)
  const got = value === undefined ? '' : `, got ${preview(value)}`
  return `${subject} ${issue.message.replace(/\.$/, '')}${got}`
}

function preview(value: JsonValue): string {
  const text = JSON.stringify(value)
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

function valueAt(input: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = input
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined
    value = (value as { readonly [key: string]: JsonValue })[key]
  }
  return value
}
