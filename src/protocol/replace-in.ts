import type { JsonValue } from './json.ts'
import type { ToolOutput } from './message.ts'

type Replace = (text: string) => string

/** Applies `replace` to all texts, numbers and keys of a value. A changed number becomes a text. */
export function replaceInJson(value: JsonValue, replace: Replace): JsonValue {
  if (typeof value === 'string') return replace(value)
  if (typeof value === 'number') {
    const text = replace(`${value}`)
    return text === `${value}` ? value : text
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: JsonValue) => replaceInJson(each, replace))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replace(name), replaceInJson(each, replace)]),
  )
}

/** Applies `replace` to all keys of a value. */
export function replaceInNames(value: JsonValue, replace: Replace): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: JsonValue) => replaceInNames(each, replace))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replace(name), replaceInNames(each, replace)]),
  )
}

/** Applies `replace` to all texts and data of an output. */
export function replaceInOutput(output: ToolOutput, replace: Replace): ToolOutput {
  switch (output.type) {
    case 'text':
      return { ...output, value: replace(output.value) }
    case 'json':
      return { ...output, value: replaceInJson(output.value, replace) }
    case 'content':
      return {
        ...output,
        value: output.value.map((part) =>
          part.type === 'text' ? { ...part, text: replace(part.text) } : part,
        ),
      }
    case 'error':
      return { ...output, message: replace(output.message) }
    case 'denied':
      return output.reason === undefined ? output : { ...output, reason: replace(output.reason) }
    default:
      return output satisfies never
  }
}
