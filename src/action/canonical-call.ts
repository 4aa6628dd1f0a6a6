import type { JsonValue } from '../protocol/json.ts'
import { decodeBrowserEntities, lineBreak, normalizeCharacters } from './normalize-text.ts'
import { isRecord } from '../lib/shape.ts'
import type { Shape } from './schema.ts'
import type { IndexedTool } from './tool-index.ts'

/**
 * A call as one text, equal for inputs that mean the same: whatever the order of the keys, whether a
 * default is written or left out, and whether a scalar is text or not.
 */
export function canonicalCall(tool: IndexedTool, input: JsonValue): string {
  return `${tool.name} ${JSON.stringify(canonical(input, tool.input))}`
}

function canonical(value: unknown, shape: Shape | undefined): unknown {
  if (Array.isArray(value))
    return value.map((entry, at) => canonical(entry, shape?.schemas.shape(shape.itemAt(at))))
  if (!isRecord(value)) return plainText(String(value))
  const full = new Map<string, unknown>(Object.entries(value))
  for (const [name, schema] of shape?.properties ?? []) {
    const { fallback } = shape?.schemas.shape(schema) ?? {}
    if (fallback !== undefined && (full.get(name) ?? null) === null) full.set(name, fallback)
  }
  return [...full]
    .filter(([, entry]) => entry !== null)
    .map(([name, entry]) => {
      const schema = shape?.properties.get(name)
      return [
        name,
        canonical(entry, schema === undefined ? undefined : shape?.schemas.shape(schema)),
      ]
    })
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

/** Without what is lost or added when text is quoted: layout, and how often entities were written. */
function plainText(text: string): string {
  const plain = normalizeCharacters(decodeBrowserEntities(decodeBrowserEntities(text)))
    .replaceAll(lineBreak, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(plain) ? String(Number(plain)) : plain
}
