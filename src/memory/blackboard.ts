import type { AgentMemory } from '../client/memory.ts'
import type { Tool } from '../client/tool.ts'
import { wordsOfOthers } from '../protocol/words-of-others.ts'
import { OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'
import { badConfig, rowsFor, type MemoryOptions } from './options.ts'
import type { Change, Rows } from './rows.ts'
import { spaceName, type Where, type Written } from './scope.ts'

export interface Block {
  /** For the model: what belongs here. */
  readonly description: string
  /** Characters. Default 1000, 2000 at most. */
  readonly maxLength?: number
}

export interface BlackboardOptions extends MemoryOptions {
  readonly blocks: { readonly [name: string]: Block }
}

/** Named blocks of text that the model always sees, and may write. */
export interface Blackboard extends AgentMemory {
  /** Empty where nothing was written. Rejects with `invalid-input` when there is no such block. */
  read(block: string, where?: Where): Promise<string>
  /** Rejects with `invalid-input` when it is too long, or there is no such block. */
  write(block: string, text: string, where?: Written): Promise<void>
  /** Empties all blocks. */
  clear(where?: Where): Promise<void>
}

const MAX_LENGTH = 2_000
const DEFAULT_LENGTH = 1_000

/** A memory of named blocks, each of a bounded size. */
export function blackboard({ blocks, ...options }: BlackboardOptions): Blackboard {
  const names = Object.keys(blocks ?? {})
  const limits = new Map(
    names.map((name) => [name, blocks[name]?.maxLength ?? DEFAULT_LENGTH] as const),
  )
  if (
    names.length === 0 ||
    [...limits.values()].some((limit) => !(limit > 0 && limit <= MAX_LENGTH))
  )
    throw badConfig(
      `blackboard needs blocks, each with a maxLength of ${MAX_LENGTH} characters at most.`,
    )
  const rows = rowsFor(options)
  const space = (where?: Where): string =>
    `blackboard:${spaceName(options.scope ?? 'origin', where)}`
  const limitOf = (name: string): number => {
    const limit = limits.get(name)
    if (limit !== undefined) return limit
    throw wrong(`There is no block ${name}. There are ${names.join(', ')}.`)
  }
  const checked = (name: string, text: string): string => {
    const limit = limitOf(name)
    if (text.length <= limit) return text
    throw wrong(`The block ${name} holds ${limit} characters; this has ${text.length}. Shorten it.`)
  }
  const change = (
    name: string,
    where: Written | undefined,
    next: (text: string) => string,
  ): Promise<void> =>
    update(rows, space(where), (entries) => {
      const before = entries.find(({ id }) => id === name)
      const text = checked(name, next(before?.text ?? ''))
      const untrusted = where?.untrusted || (before?.untrusted && text.startsWith(before.text))
      const entry = { space: space(where), id: name, text, at: Date.now() }
      return { put: [{ ...entry, ...(untrusted && { untrusted }) }] }
    })
  const written = async (where?: Where): Promise<readonly StoredEntry[]> =>
    (await rows.read(space(where))).entries.filter(({ id }) => limits.has(id))

  return {
    async retrieve(_query, where) {
      const entries = new Map((await written(where)).map((entry) => [entry.id, entry]))
      return names.map((name) => {
        const { text, untrusted } = entries.get(name) ?? {}
        return {
          id: `block ${name}`,
          text: `(${blocks[name]?.description ?? ''}) ${text || 'empty'}`,
          ...(untrusted && { untrusted }),
        }
      })
    },
    async read(name, where) {
      limitOf(name)
      return (await written(where)).find(({ id }) => id === name)?.text ?? ''
    },
    write: (name, text, where) => change(name, where, () => text),
    clear: (where) => update(rows, space(where), () => ({ remove: names })),
    tools: blockTools(names, change, written),
  }
}

/** What two tabs add at once is all there: the one that comes second decides on what the first has written. */
async function update(
  rows: Rows,
  space: string,
  decide: (entries: readonly StoredEntry[]) => Change,
): Promise<void> {
  for (;;) {
    const { version, entries } = await rows.read(space)
    if (await rows.change(space, version, decide(entries))) return
  }
}

function blockTools(
  names: readonly string[],
  change: (name: string, where: Written, next: (text: string) => string) => Promise<void>,
  written: (where: Where) => Promise<readonly StoredEntry[]>,
): readonly Tool[] {
  const block = { type: 'string', enum: [...names] } as const
  const write: Tool<'write_block', Writing> = {
    name: 'write_block',
    title: 'Write into a block',
    description:
      'Writes a block of the blackboard, which is seen in later messages and conversations: in place of its text, or, with append, after it. Never passwords or keys.',
    inputSchema: {
      type: 'object',
      properties: { block, text: { type: 'string' }, append: { type: 'boolean' } },
      required: ['block', 'text'],
      additionalProperties: false,
    },
    // A person can write over it.
    annotations: { reversible: true },
    async execute({ block: name, text, append }, { conversationId, tainted: untrusted }) {
      await change(name, { conversationId, untrusted }, (before) =>
        append && before !== '' ? `${before}\n${text}` : text,
      )
      return 'written'
    },
  }
  const read: Tool<'read_block', Pick<Writing, 'block'>> = {
    name: 'read_block',
    title: 'Read a block',
    description: 'Reads a block of the blackboard as it is now.',
    inputSchema: {
      type: 'object',
      properties: { block },
      required: ['block'],
      additionalProperties: false,
    },
    annotations: { readOnly: true },
    async execute({ block: name }, { conversationId }) {
      const { text = '', untrusted } =
        (await written({ conversationId })).find(({ id }) => id === name) ?? {}
      return untrusted ? wordsOfOthers('memory', text) : text
    },
  }
  return [write, read]
}

interface Writing {
  readonly block: string
  readonly text: string
  readonly append?: boolean
}

function wrong(message: string): OffstageError {
  return new OffstageError('invalid-input', message)
}
