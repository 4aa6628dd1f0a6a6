import { isRecord } from '../../lib/shape.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { Fields } from './wire.ts'

/** An argument that is also sent as a header (`x-mcp-header` of revision 2026-07-28, "Custom Headers"). */
export interface HeaderParameter {
  readonly header: string
  readonly path: readonly string[]
}

/** Marks a header parameter in a schema. Allowed only in schemas under `properties`. */
const MARK = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/

/** Arguments of a tool that are sent as headers. Returns the reason as a string if the tool must not be used. */
export function headerParameters(schema: JsonSchema): readonly HeaderParameter[] | string {
  const found: HeaderParameter[] = []
  let problem: string | undefined
  const visit = (node: unknown, path: readonly string[] | null): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, null)
    if (!isRecord(node)) return
    const header = node[MARK]
    if (header !== undefined) {
      if (!path?.length) problem = `has ${MARK} where it is not allowed`
      else if (typeof header !== 'string' || !TOKEN.test(header)) problem = `has a wrong ${MARK}`
      else if (!['string', 'integer', 'boolean'].includes(String(node.type)))
        problem = `has ${MARK} at a parameter that is no string, integer or boolean`
      else if (found.some((other) => other.header.toLowerCase() === header.toLowerCase()))
        problem = `has the ${MARK} ${header} twice`
      else found.push({ header, path })
    }
    for (const [key, value] of Object.entries(node))
      if (key === 'properties' && isRecord(value))
        for (const [name, property] of Object.entries(value))
          visit(property, path && [...path, name])
      else if (key !== MARK) visit(value, null)
  }
  visit(schema, [])
  return problem ?? found
}

export function parameterHeaders(
  parameters: readonly HeaderParameter[],
  input: unknown,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { header, path } of parameters) {
    let value: unknown = input
    for (const name of path)
      value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : null
    if (['string', 'boolean', 'number'].includes(typeof value))
      headers[`mcp-param-${header}`] = headerValue(String(value))
  }
  return headers
}

/** Headers that repeat the method, and the name or URI ("Standard Request Headers"). */
export function standardHeaders(method: string, params: Fields): Record<string, string> {
  const name = method === 'resources/read' ? params.uri : params.name
  const isNamed = /^(tools\/call|resources\/read|prompts\/get)$/.test(method)
  return {
    'mcp-method': method,
    ...(isNamed && typeof name === 'string' && { 'mcp-name': headerValue(name) }),
  }
}

/** The text itself if it is a valid header value, else base64 ("Value Encoding"). */
function headerValue(text: string): string {
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}
