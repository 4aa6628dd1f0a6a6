import { withoutHidden } from '../lib/invisible.ts'
import { isRecord } from '../lib/shape.ts'
import { badAnswer, shortWords } from './failures.ts'
import type { McpLine } from './line.ts'
import { listAll } from './list-all.ts'
import type { Within } from './time-limit.ts'
import { toOutput } from './to-output.ts'

/** A prompt that a server offers to users. Untrusted content. */
export interface McpPrompt {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly arguments: readonly McpPromptArgument[]
}

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

export function promptsOf(line: McpLine, within: Within): McpPrompts {
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
      ? [{ name: one.name, ...words(one, 'description'), required: one.required === true }]
      : [],
  )
  // Names with hidden characters can't be cleaned: the server knows only the original names.
  const names = [said, ...parameters].map(({ name }) => String(name))
  if (names.some((name) => withoutHidden(name) !== name)) return []
  return [
    {
      name: said.name,
      ...words(said, 'title'),
      ...words(said, 'description'),
      arguments: parameters,
    },
  ]
}

function words<Name extends 'title' | 'description'>(
  said: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value = said[name]
  return typeof value === 'string'
    ? ({ [name]: shortWords(value, 1000) } as { readonly [Key in Name]?: string })
    : {}
}
