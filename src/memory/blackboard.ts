import type { AgentMemory } from '../client/features/memory.ts'
import { toRememberedEntry } from './entry.ts'
import { type MemoryTarget, withTools } from './memory-tools.ts'
import {
  badConfig,
  badInput,
  type MemoryOptions,
  openEntryStore,
  spaceName,
  type Where,
  type Written,
} from './options.ts'
import { type Space, spacesIn } from './space.ts'

/** Purpose and size of one text on a blackboard. */
export interface Block {
  /** Tells the model what belongs in the block. */
  readonly description: string
  /** Maximum characters of the block. Default 1000, at most 2000. */
  readonly maxLength?: number
}

/** Options of `blackboard`. Only `blocks` is required. Wrong options throw `invalid-config`. */
export interface BlackboardOptions extends MemoryOptions {
  /** Blocks by name, one to eight. The model sees their names and descriptions. */
  readonly blocks: { readonly [name: string]: Block }
}

/** Named blocks of text that the model always sees and can write. */
export interface Blackboard extends AgentMemory {
  /**
   * Resolves to the text of a block; empty if nothing was written. Rejects with `invalid-input` for an unknown block.
   */
  read(block: string, where?: Where): Promise<string>
  /** Replaces the text of a block. Rejects with `invalid-input` for an unknown block or a text that is too long. */
  write(block: string, text: string, where?: Written): Promise<void>
  /** Empties all blocks. */
  clear(where?: Where): Promise<void>
}

/** Maximum number of blocks that fit into a request. */
const MAX_BLOCKS = 8
const MAX_LENGTH = 2_000
const DEFAULT_LENGTH = 1_000

/** A memory of named blocks, each with a maximum size. */
export function blackboard({ blocks, ...options }: BlackboardOptions): Blackboard {
  const limits = limitsOf(blocks)
  const names = [...limits.keys()]
  const spaces = spacesIn(openEntryStore(options))
  const spaceAt = (where?: Where): Space =>
    spaces(`blackboard:${spaceName(options.scope ?? 'origin', where)}`)
  const limitOf = (name: string): number => {
    const limit = limits.get(name)
    if (limit !== undefined) return limit
    throw badInput(`There is no block ${name}. There are ${names.join(', ')}.`)
  }
  const checkText = (name: string, text: string): string => {
    const limit = limitOf(name)
    if (text.length <= limit) return text
    throw badInput(
      `The block ${name} holds ${limit} characters; this has ${text.length}. Shorten it.`,
    )
  }
  const change = async (
    name: string,
    where: Written | undefined,
    next: (text: string) => string,
  ): Promise<void> => {
    const space = spaceAt(where)
    await space.change((entries) => {
      const before = entries.get(name)
      const text = checkText(name, next(before?.text ?? '').trim())
      const untrusted = where?.untrusted || (before?.untrusted && text.startsWith(before.text))
      const entry = { space: space.name, id: name, text, at: Date.now() }
      return { put: [{ ...entry, ...(untrusted && { untrusted }) }] }
    })
  }

  const board: Blackboard = {
    always: true,
    async retrieve(_query, where) {
      const entries = await spaceAt(where).entries()
      return names.map((name) => {
        const { text, untrusted } = entries.get(name) ?? {}
        return {
          id: idOf(name),
          // Puts the description last, because long texts are cut at their end.
          text: `${text || 'empty'} (${blocks[name]?.description ?? ''})`,
          ...(untrusted && { untrusted }),
        }
      })
    },
    async read(name, where) {
      limitOf(name)
      return (await spaceAt(where).entries()).get(name)?.text ?? ''
    },
    write: (name, text, where) => change(name, where, () => text),
    async clear(where) {
      await spaceAt(where).change((entries) => ({
        remove: names.filter((name) => entries.has(name)),
      }))
    },
  }
  const targets = names.map((name) => targetOf(name, { ...blocks[name], change, spaceAt }))
  return withTools(board, targets)
}

/** Makes a block available to the agent's memory tools. */
function targetOf(
  name: string,
  {
    description = '',
    change,
    spaceAt,
  }: {
    readonly description?: string
    change(name: string, where: Written, next: (text: string) => string): Promise<void>
    spaceAt(where: Where): Space
  },
): MemoryTarget {
  return {
    name,
    description,
    key: {},
    isBlock: true,
    async remember(text, { append, ...where }) {
      await change(name, where, (before) => (append ? appendLine(before, text.trim()) : text))
      return idOf(name)
    },
    async recall(_query, where) {
      const entry = (await spaceAt(where).entries()).get(name)
      return entry?.text ? [{ ...toRememberedEntry(entry), id: idOf(name) }] : []
    },
  }
}

/** Maximum characters of each block. Throws `invalid-config`. */
function limitsOf(blocks: BlackboardOptions['blocks'] | undefined): ReadonlyMap<string, number> {
  const limits = Object.entries(blocks ?? {}).map(
    ([name, { maxLength = DEFAULT_LENGTH }]) => [name, maxLength] as const,
  )
  const isCountValid = limits.length > 0 && limits.length <= MAX_BLOCKS
  if (isCountValid && limits.every(([, limit]) => limit > 0 && limit <= MAX_LENGTH))
    return new Map(limits)
  throw badConfig(
    `blackboard needs 1 to ${MAX_BLOCKS} blocks, each with a maxLength of ${MAX_LENGTH} characters at most.`,
  )
}

function idOf(block: string): string {
  return `block ${block}`
}

/** Appends a line, unless the text already ends with it: a call that is repeated after a reload adds nothing. */
function appendLine(before: string, text: string): string {
  return `\n${before}`.endsWith(`\n${text}`) ? before : `${before}\n${text}`.trimStart()
}
