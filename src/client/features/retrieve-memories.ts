import { signalWithin } from '../../lib/abort.ts'
import { untilAborted } from '../runs/until-aborted.ts'
import { describeThrown } from '../../protocol/error.ts'
import type { RetrievedMemory } from '../../protocol/page-calls.ts'
import type { AgentMemory, MemoryEntry, RetrieveContext } from './memory.ts'

/** Maximum number of entries from all memories of an agent together. */
const MAX_ENTRIES = 8
/** Maximum characters of an entry. */
const MAX_TEXT = 2_000
const RETRIEVE_MS = 5_000

interface Retrieval extends Omit<RetrieveContext, 'limit'> {
  readonly query: string
}

/** Queries all memories, and ranks their entries together, limited in time, number and length. Never rejects. */
export async function retrieveMemories(
  memories: readonly AgentMemory[],
  retrieval: Retrieval,
): Promise<readonly RetrievedMemory[]> {
  const found = await Promise.all(memories.map((memory) => retrieveFrom(memory, retrieval)))
  // Ranks the first entry of each memory, then the second of each, and so on. Memories may share entries, so duplicates
  // are removed.
  const ranked = found
    .flatMap((entries, index) =>
      entries.map((entry, rank) => [memories[index]?.always ? -1 : rank, entry] as const),
    )
    .toSorted(([rankA], [rankB]) => rankA - rankB)
  const unique = new Map(ranked.map(([, entry]) => [entry.id + entry.text, entry]))
  return [...unique.values()].slice(0, MAX_ENTRIES)
}

async function retrieveFrom(
  memory: AgentMemory,
  { query, ...context }: Retrieval,
): Promise<readonly RetrievedMemory[]> {
  const { signal: agentSignal } = context
  const signal = signalWithin(RETRIEVE_MS, agentSignal)
  try {
    const entries = await untilAborted(
      async () => memory.retrieve(query, { ...context, limit: MAX_ENTRIES, signal }),
      signal,
    )
    return Array.from(entries).slice(0, MAX_ENTRIES).flatMap(limitEntry)
  } catch (thrown) {
    if (!agentSignal.aborted) context.warn(`A memory search failed: ${describeThrown(thrown)}`)
    return []
  }
}

function limitEntry({ id, text, untrusted, source }: MemoryEntry): RetrievedMemory[] {
  const fullText = String(text).trim()
  const start = Array.from(fullText).slice(0, MAX_TEXT).join('')
  return start
    ? [
        {
          id: String(id).slice(0, 100),
          text: start === fullText ? fullText : `${start} …`,
          ...(untrusted && { untrusted }),
          ...(source && { source }),
        },
      ]
    : []
}
