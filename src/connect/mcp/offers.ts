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

export function offersOf(connection: McpConnection, newSignal: SignalFactory): Offers {
  return {
    resources: resourcesOf(connection, newSignal),
    prompts: promptsOf(connection, newSignal),
  }
}

/** A prompt that a server offers to users. Untrusted content. */
export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly McpPromptArgument[]
}

/** A parameter of a prompt. Pass its value to `prompts.get` under its name. Untrusted content. */
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
  /** Gets a prompt with these values filled in. The result is untrusted: show it to the user before you send it. */
  get(
    name: string,
    values?: { readonly [name: string]: string },
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly McpPromptMessage[]>
}

function promptsOf(connection: McpConnection, newSignal: SignalFactory): McpPrompts {
  return {
    async list({ signal } = {}) {
      if (!isRecord(connection.info.capabilities.prompts)) return []
      const listing = { method: 'prompts/list', field: 'prompts', signal: newSignal(signal) }
      return (await listAll(connection, listing)).flatMap(promptOf)
    },
    async get(name, values = {}, { signal } = {}) {
      const options = { signal: newSignal(signal), repeatable: true }
      const params = { name, arguments: values }
      const { messages } = await connection.request('prompts/get', params, options)
      if (!Array.isArray(messages)) throw badAnswer(connection.source, 'answered without messages.')
      return messages.flatMap(messageOf)
    },
  }
}

function messageOf(message: unknown): McpPromptMessage[] {
  if (!isRecord(message) || (message.role !== 'user' && message.role !== 'assistant')) return []
  const output = toOutput({ content: [message.content] })
  const content = Array.isArray(output) ? (output as (string | Blob)[]) : [String(output)]
  return [{ role: message.role, content }]
}

function promptOf(prompt: unknown): McpPrompt[] {
  if (!isRecord(prompt) || typeof prompt.name !== 'string') return []
  const listed: readonly unknown[] = Array.isArray(prompt.arguments) ? prompt.arguments : []
  const parameters = listed.flatMap((argument) =>
    isRecord(argument) && typeof argument.name === 'string'
      ? [
          {
            name: argument.name,
            ...textsIn(argument, { description: 1000 }),
            required: argument.required === true,
          },
        ]
      : [],
  )
  // Names with hidden characters are left out, because the server knows only the uncleaned names.
  const names = [prompt, ...parameters].map(({ name }) => String(name))
  if (names.some((name) => cleanUntrustedText(name) !== name)) return []
  return [
    {
      name: prompt.name,
      ...textsIn(prompt, { title: 1000, description: 1000 }),
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
  /** Reads a resource. Returns a text with its URI, or a file, for each part. */
  read(
    uri: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (string | Blob)[]>
}

function resourcesOf(connection: McpConnection, newSignal: SignalFactory): McpResources {
  const hasResources = isRecord(connection.info.capabilities.resources)
  const listItems = async (
    method: string,
    field: string,
    signal?: AbortSignal,
  ): Promise<McpResource[]> =>
    hasResources
      ? (await listAll(connection, { method, field, signal: newSignal(signal) })).flatMap(
          resourceOf,
        )
      : []
  return {
    list: ({ signal } = {}) => listItems('resources/list', 'resources', signal),
    templates: ({ signal } = {}) =>
      listItems('resources/templates/list', 'resourceTemplates', signal),
    async read(uri, { signal } = {}) {
      const options = { signal: newSignal(signal), repeatable: true }
      const { contents } = await connection.request('resources/read', { uri }, options)
      if (!Array.isArray(contents)) throw badAnswer(connection.source, 'answered without contents.')
      return contents.map(resourcePart)
    },
  }
}

function resourceOf(resource: unknown): McpResource[] {
  if (!isRecord(resource)) return []
  const uri = resource.uri ?? resource.uriTemplate
  // Removing hidden characters from a URI would make it another URI.
  if (typeof uri !== 'string' || cleanUntrustedText(uri) !== uri) return []
  const limits = { name: 200, title: 1000, description: 1000, mimeType: 1000 }
  return [{ uri, name: uri, ...textsIn(resource, limits) }]
}
