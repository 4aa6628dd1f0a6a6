import { isRecord } from '../../lib/shape.ts'
import { withoutHidden } from '../../lib/invisible.ts'
import { visibleData } from '../../lib/visible-data.ts'
import { shortWords } from './failures.ts'
import type { Fields } from './wire.ts'

/** Output of a tool: text, plain data, or a list of texts and files. */
export type ToolReturn = string | object | readonly (string | Blob)[]

/**
 * Converts a result of `tools/call` or `resources/read` to a tool's output (server/tools, "Tool Result"). Images and
 * sound become files. Links become text, and nothing is fetched. Throws the server's text if `isError` is set.
 */
export function toOutput(result: Fields): ToolReturn {
  const content: readonly unknown[] = Array.isArray(result.content) ? result.content : []
  const parts = content.map(partOf).filter((part) => part !== '')
  const words = parts.filter((part) => typeof part === 'string').join('\n\n')
  if (result.isError === true) throw new Error(words || 'The server says that the tool failed.')
  const { structuredContent: said } = result
  if (said !== undefined && said !== null) {
    const data = visibleData(said)
    if (parts.length === 0 || isTextOf(words, data))
      return typeof data === 'object' && data !== null ? data : JSON.stringify(data)
    parts.push(JSON.stringify(data))
  }
  if (parts.every((part) => typeof part === 'string')) return parts.join('\n\n')
  return parts
}

function partOf(said: unknown): string | Blob {
  if (!isRecord(said)) return ''
  switch (said.type) {
    case 'text':
      return typeof said.text === 'string' ? withoutHidden(said.text) : ''
    case 'image':
    case 'audio':
      return fileOf(said, said.data)
    case 'resource':
      return resourcePart(said.resource)
    case 'resource_link':
      return `[resource ${wordOf(said.uri)}: ${wordOf(said.title ?? said.name)}${said.description === undefined ? '' : `, ${wordOf(said.description)}`}]`
    default:
      return `[content of an unknown kind: ${wordOf(said.type)}]`
  }
}

/** The content of a resource: text with its URI, or a file. */
export function resourcePart(said: unknown): string | Blob {
  if (!isRecord(said)) return ''
  if (typeof said.text === 'string')
    return `[resource ${wordOf(said.uri)}]\n${withoutHidden(said.text)}`
  return fileOf(said, said.blob)
}

function fileOf({ mimeType }: Fields, data: unknown): string | Blob {
  const type =
    typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+$/.test(mimeType)
      ? mimeType
      : 'application/octet-stream'
  try {
    const binary = atob(String(data))
    return new Blob([Uint8Array.from(binary, (sign) => sign.charCodeAt(0))], { type })
  } catch {
    return `[a file of type ${type} that can't be read]`
  }
}

/** Whether the text only repeats the structured result, as many servers do. */
function isTextOf(words: string, data: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(words)) === JSON.stringify(data)
  } catch {
    return false
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? shortWords(value.replace(/\s+/g, ' '), 500) : ''
}
