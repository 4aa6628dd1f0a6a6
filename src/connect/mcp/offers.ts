import { listAll, type McpConnection, type SignalFactory, textsIn } from './connection.ts'
import { cleanUntrustedText } from '../../lib/invisible.ts'
import { isRecord } from '../../lib/shape.ts'
import { badAnswer } from './failures.ts'
import { resourcePart, toOutput } from './make-tool.ts'

/** A server's resources and prompts. Loaded on first use. */
export interface Offers {
  readonly resources: McpResources
  readonly prompts: McpPrompts
}

export function offersOf(line: McpConnection, within: SignalFactory): Offers {
  return { resources: resourcesOf(line, within), prompts: promptsOf(line, within) }
}

/** A prompt that a server offers to users. Untrusted content. */
export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly McpPromptArgument[]
}

/** Value that a prompt takes. Pass it to `prompts.get` by its name. Untrusted content. */
export interface McpPromptArgument {
  readonly name: string
  readonly description?: string
  readonly required: boolean
}

/** A message of a prompt, with its texts and files in order. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly (string | Blob)[]
}

/** The server's prompts. Methods reject with an `OffstageError`. */
export interface McpPrompts {
  list(options?: { readonly signal?: AbortSignal }): Promise<readonly McpPrompt[]>
  /** Gets a prompt with its values filled in. The result is untrusted: show it to the user before you send it. */
  get(
    name: string,
    values?: { readonly [name: string]: string },
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly McpPromptMessage[]>
}

function promptsOf(line: McpConnection, within: SignalFactory): McpPrompts {
  return {
    async list({ signal } = {}) {
      if (!isRecord(line.info.capabilities.prompts)) return []
      const about = { method: 'prompts/list', field: 'prompts', signal: within(signal) }
      return (await listAll(line, about)).flatMap(promptOf)
    },
    async get(name, values = {}, { signal } = {}) {
      const options = { signal: within(signal), repeatable: true }
      const params = { name, arguments: values }
      const { messages } = await line.request('prompts/get', params, options)
      if (!Array.isArray(messages)) throw badAnswer(line.source, 'answered without messages.')
      return messages.flatMap(messageOf)
    },
  }
}

function messageOf(said: unknown): McpPromptMessage[] {
  if (!isRecord(said) || (said.role !== 'user' && said.role !== 'assistant')) return []
  const output = toOutput({ content: [said.content] })
  const content = Array.isArray(output) ? (output as (string | Blob)[]) : [String(output)]
  return [{ role: said.role, content }]
}

function promptOf(said: unknown): McpPrompt[] {
  if (!isRecord(said) || typeof said.name !== 'string') return []
  const listed: readonly unknown[] = Array.isArray(said.arguments) ? said.arguments : []
  const parameters = listed.flatMap((one) =>
    isRecord(one) && typeof one.name === 'string'
      ? [
          {
            name: one.name,
            ...textsIn(one, { description: 1000 }),
            required: one.required === true,
          },
        ]
      : [],
  )
  // Names with hidden characters can't be cleaned: the server knows only the original names.
  const names = [said, ...parameters].map(({ name }) => String(name))
  if (names.some((name) => cleanUntrustedText(name) !== name)) return []
  return [
    {
      name: said.name,
      ...textsIn(said, { title: 1000, description: 1000 }),
      arguments: parameters,
    },
  ]
}

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

function resourcesOf(line: McpConnection, within: SignalFactory): McpResources {
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
  if (typeof uri !== 'string' || cleanUntrustedText(uri) !== uri) return []
  const limits = { name: 200, title: 1000, description: 1000, mimeType: 1000 }
  return [{ uri, name: uri, ...textsIn(said, limits) }]
}
