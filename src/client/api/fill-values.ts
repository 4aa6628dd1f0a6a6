import { copyPlain } from '../../lib/json/copy-plain.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { PromptValues, RunInput } from './options.ts'

const VALUE_PATTERN = /(\\?)\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu

/** Replaces `{{name}}` with its value, and `\{{name}}` with `{{name}}`. Throws for a name without a value. */
export function fillValues(
  text: string,
  values: PromptValues,
  code: 'invalid-config' | 'invalid-input',
): string {
  return text.replace(VALUE_PATTERN, (match, escape: string, name: string) => {
    if (escape) return match.slice(1)
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (/^(string|number|boolean)$/.test(typeof value)) return String(value)
    throw new OffstageError(
      code,
      `There is no value for {{${name}}}. Pass one in values, or write \\{{${name}}}.`,
    )
  })
}

/** Returns the input as parts with values filled in. Without values, text stays as it is: it isn't a template. */
export function fillInput(input: RunInput, values: PromptValues): Exclude<RunInput, string> {
  // Copied, so that later changes to the app's object don't alter the message.
  const parts =
    typeof input === 'string' ? [{ type: 'text' as const, text: input }] : copyPlain(input)
  if (!Object.keys(values).length) return parts
  return parts.map((part) =>
    part?.type === 'text' && typeof part.text === 'string'
      ? { ...part, text: fillValues(part.text, values, 'invalid-input') }
      : part,
  )
}
