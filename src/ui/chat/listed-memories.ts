import type { Agent, AgentMemory, ListedMemory } from '../../index.ts'
import type { ChatContext, LocalState } from './context.ts'
import { problemKey } from './problem-key.ts'

type PersonMemory = AgentMemory & Required<Pick<AgentMemory, 'list' | 'forget'>>
type Context = Pick<ChatContext, 'agent' | 'snapshot' | 'local'>

/** An entry, and the memories that have it. */
export interface FoundMemory {
  /** Unique key: entries of two memories may have the same id. */
  readonly key: string
  readonly entry: ListedMemory
  readonly memories: readonly PersonMemory[]
}

/** Returns the memories that a person can look into. */
export function memoriesForPeople({ memories }: Agent): readonly PersonMemory[] {
  return memories.filter(
    (memory): memory is PersonMemory => memory.list !== undefined && memory.forget !== undefined,
  )
}

/** Returns the entries that were read; undefined before that. */
export function listedMemories({
  local,
}: Pick<Context, 'local'>): readonly FoundMemory[] | undefined {
  return local.get(KEY)
}

const KEY = 'memories'
/** The newest reading. Results of older ones are dropped. */
const READING = 'memories-reading'
const ARMED = 'forget-all'

/** Opens the list, and reads the memories anew. */
export function openMemories(context: Context): Promise<void> {
  context.local.set(KEY, undefined)
  context.local.set('list', 'memories')
  return readMemories(context)
}

/** Reads them, newest first. */
async function readMemories({ agent, snapshot, local }: Context): Promise<void> {
  const { conversationId } = snapshot
  const reading = Symbol(KEY)
  local.set(READING, reading)
  armForgetting(local, null)
  const isNewest = (): boolean => local.get(READING) === reading
  try {
    const lists = await Promise.all(
      memoriesForPeople(agent).map(async (memory) => ({
        memory,
        entries: await memory.list({ conversationId }),
      })),
    )
    if (!isNewest()) return
    local.set(KEY, joined(lists))
    local.set(problemKey('list'), undefined)
  } catch (thrown) {
    if (!isNewest()) return
    local.set(KEY, undefined)
    local.set(problemKey('list'), thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** Merges the lists. Memories may share entries. */
function joined(
  lists: readonly { readonly memory: PersonMemory; readonly entries: readonly ListedMemory[] }[],
): readonly FoundMemory[] {
  const found = new Map<string, FoundMemory>()
  for (const { memory, entries } of lists)
    for (const entry of entries) {
      const key = JSON.stringify([entry.id, entry.text])
      const same = found.get(key)
      const memories = [...(same?.memories ?? []), memory]
      found.set(key, { key, entry: same?.entry ?? entry, memories })
    }
  return [...found.values()].toSorted(
    ({ entry: one }, { entry: other }) => (other.at ?? 0) - (one.at ?? 0),
  )
}

/** Deletes each entry from the memories that have it, and from no others. */
export async function forgetMemories(
  context: Context,
  found: readonly FoundMemory[],
): Promise<void> {
  const { conversationId } = context.snapshot
  const ids = new Map<PersonMemory, Set<string>>()
  for (const { entry, memories } of found)
    for (const memory of memories) ids.set(memory, (ids.get(memory) ?? new Set()).add(entry.id))
  try {
    await Promise.all([...ids].map(([memory, own]) => memory.forget([...own], { conversationId })))
  } finally {
    // Some memories may have deleted their entries although another one failed.
    await readMemories(context)
  }
}

/** Records the first of two presses, for exactly these entries. Null takes it back. */
export function armForgetting(local: LocalState, found: readonly FoundMemory[] | null): void {
  local.set(ARMED, found === null ? undefined : keyOf(found))
}

/** Whether the next press deletes all entries found. */
export function isForgettingArmed(local: LocalState, found: readonly FoundMemory[]): boolean {
  const armed = local.get<string>(ARMED)
  return armed !== undefined && armed === keyOf(found)
}

function keyOf(found: readonly FoundMemory[]): string {
  return JSON.stringify(found.map(({ key }) => key))
}
