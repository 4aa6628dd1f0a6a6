import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'
import { badAnswer, shortWords } from './failures.ts'
import type { McpLine } from './line.ts'
import { listAll } from './list-all.ts'
import type { Within } from './time-limit.ts'
import { resourcePart } from './to-output.ts'

/** A resource or a URI template (`uriTemplate`, RFC 6570) from a server's list. Untrusted content. */
export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** The server's resources: untrusted content. Methods reject with an `OffstageError`. */
export interface McpResources {
  list(options?: { readonly signal?: AbortSignal }): Promise<readonly McpResource[]>
  /** Lists the URI templates. The template is in `uri`. */
  templates(options?: { readonly signal?: AbortSignal }): Promise<readonly McpResource[]>
  /** Returns a text with its address, or a file, for each part. */
  read(
    uri: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (string | Blob)[]>
}

export function resourcesOf(line: McpLine, within: Within): McpResources {
  const has = isRecord(line.info.capabilities.resources)
  const listOf = async (
    method: string,
    field: string,
    signal?: AbortSignal,
  ): Promise<McpResource[]> =>
    has ? (await listAll(line, { method, field, signal: within(signal) })).flatMap(resourceOf) : []
  return {
    list: ({ signal } = {}) => listOf('resources/list', 'resources', signal),
    templates: ({ signal } = {}) => listOf('resources/templates/list', 'resourceTemplates', signal),
    async read(uri, { signal } = {}) {
      const options = { signal: within(signal), repeatable: true }
      const { contents } = await line.request('resources/read', { uri }, options)
      if (!Array.isArray(contents)) throw badAnswer(line.source, 'answered without contents.')
      return contents.map(resourcePart)
    },
  }
}

function resourceOf(said: unknown): McpResource[] {
  if (!isRecord(said)) return []
  const uri = said.uri ?? said.uriTemplate
  // Removing hidden characters from an address would make it another address.
  if (typeof uri !== 'string' || withoutHidden(uri) !== uri) return []
  const words = (name: 'title' | 'description' | 'mimeType'): { [key: string]: string } =>
    typeof said[name] === 'string' ? { [name]: shortWords(said[name], 1000) } : {}
  const name = typeof said.name === 'string' ? shortWords(said.name, 200) : uri
  return [{ uri, name, ...words('title'), ...words('description'), ...words('mimeType') }]
}
