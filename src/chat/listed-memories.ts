import type { Agent, AgentMemory, ListedMemory } from '../index.ts'
import type { ChatContext } from './context.ts'
import { problemKey } from './problem-key.ts'

type PersonMemory = AgentMemory & Required<Pick<AgentMemory, 'list' | 'forget'>>
type Context = Pick<ChatContext, 'agent' | 'snapshot' | 'local'>

/** Those that a person can look into. */
export function memoriesForPeople({ memories }: Agent): readonly PersonMemory[] {
  return memories.filter(
    (memory): memory is PersonMemory => memory.list !== undefined && memory.forget !== undefined,
  )
}

/** Undefined: they are not read yet. */
export function listedMemories({ local }: Context): readonly ListedMemory[] | undefined {
  return local.get(KEY)
}

const KEY = 'memories'

/** Reads them, newest first. Several memories may have the same entries. */
export async function readMemories({ agent, snapshot, local }: Context): Promise<void> {
  const { conversationId } = snapshot
  try {
    const lists = await Promise.all(
      memoriesForPeople(agent).map((memory) => memory.list({ conversationId })),
    )
    const entries = new Map(lists.flat().map((entry) => [entry.id, entry]))
    local.set(
      KEY,
      [...entries.values()].toSorted((one, other) => (other.at ?? 0) - (one.at ?? 0)),
    )
  } catch (thrown) {
    local.set(problemKey('list'), thrown instanceof Error ? thrown.message : String(thrown))
  }
}

export async function forgetMemories(
  context: Context,
  entries: readonly ListedMemory[],
): Promise<void> {
  const { conversationId } = context.snapshot
  const ids = entries.map(({ id }) => id)
  await Promise.all(
    memoriesForPeople(context.agent).map((memory) => memory.forget(ids, { conversationId })),
  )
  await readMemories(context)
}
