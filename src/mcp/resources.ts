import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'
import { badAnswer, shortWords } from './failures.ts'
import type { McpLine } from './line.ts'
import { listAll } from './list-all.ts'
import type { Within } from './time-limit.ts'
import { resourcePart } from './to-output.ts'

/** A resource, or a template of addresses (`uriTemplate` of RFC 6570), as a server lists it. Others' words. */
export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly mimeType?: string
}

/** Rejections are `OffstageError`s. What is read is somebody else's content. */
export interface McpResources {
  list(options?: { readonly signal?: AbortSignal }): Promise<readonly McpResource[]>
  /** Their `uri` is a template. */
  templates(options?: { readonly signal?: AbortSignal }): Promise<readonly McpResource[]>
  /** A text with its address, or a file, for each part. */
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
  // An address that hides something would be another one without it.
  if (typeof uri !== 'string' || withoutHidden(uri) !== uri) return []
  const words = (name: 'title' | 'description' | 'mimeType'): { [key: string]: string } =>
    typeof said[name] === 'string' ? { [name]: shortWords(said[name], 1000) } : {}
  const name = typeof said.name === 'string' ? shortWords(said.name, 200) : uri
  return [{ uri, name, ...words('title'), ...words('description'), ...words('mimeType') }]
}
