import type { JsonValue } from './json.ts'
import type { ToolOutput } from './message.ts'

type Replace = (text: string) => string

/** The value with its texts, numbers and names as `replace` writes them. A number that it changes becomes a text. */
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

/** The value with its names as `replace` writes them. */
export function replaceInNames(value: JsonValue, replace: Replace): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each: JsonValue) => replaceInNames(each, replace))
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [replace(name), replaceInNames(each, replace)]),
  )
}

/** The same of all that an output says. */
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
