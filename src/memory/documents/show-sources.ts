import type { Row } from '../../protocol/fact.ts'
import type { MemorySource } from '../../protocol/memory.ts'
import type { SourcesChat } from '../document-options.ts'

/** Most conversations searched for an answer, newest first. */
const MOST_SEARCHED = 20

type Found = Map<string, readonly MemorySource[]>

/** Makes a chat show the sources that memories found. They are read from its stored conversations. */
export function showSources(chat: SourcesChat): void {
  const found: Found = new Map()
  const wanted = new Set<string>()
  let isReading = false
  const own = chat.answers.sources
  const show = (): void => {
    chat.answers = {
      ...chat.answers,
      sources(answer) {
        const known = found.get(answer.id)
        if (!known && answer.at !== undefined) want(answer.id)
        return [...(own?.(answer) ?? []), ...(known ?? [])]
      },
    }
  }
  const want = (id: string): void => {
    wanted.add(id)
    if (isReading) return
    isReading = true
    void read()
  }
  const read = async (): Promise<void> => {
    // Collects all answers of one rendering into one search.
    await Promise.resolve()
    const ids = [...wanted]
    wanted.clear()
    await findSources(chat, ids, found).catch(() => undefined)
    for (const id of ids) if (!found.has(id)) found.set(id, [])
    isReading = false
    if (ids.some((id) => found.get(id)?.length)) show()
    const [more] = wanted
    if (more !== undefined) want(more)
  }
  show()
}

async function findSources(
  { agent }: SourcesChat,
  ids: readonly string[],
  found: Found,
): Promise<void> {
  const conversations = (await agent?.conversations.list()) ?? []
  for (const { conversationId } of conversations.slice(0, MOST_SEARCHED)) {
    let retrieved: readonly MemorySource[] = []
    let after = 0
    for (let hasMore = true; hasMore;) {
      const part = await agent?.conversations.rows(conversationId, { after })
      for (const row of part?.rows ?? []) {
        retrieved = sourcesAfter(row, retrieved)
        if (row.type === 'model-output') found.set(row.message.id, isAnswer(row) ? retrieved : [])
      }
      after = part?.rows.at(-1)?.seq ?? after
      hasMore = part?.hasMore ?? false
    }
    if (ids.every((id) => found.has(id))) return
  }
}

/** Sources of the newest request. A new message resets them. */
function sourcesAfter(row: Row, before: readonly MemorySource[]): readonly MemorySource[] {
  if (row.type === 'run-started') return row.message ? [] : before
  if (row.type !== 'memory-retrieved') return before
  return row.items.flatMap(({ source }) => (isSource(source) ? source : []))
}

/** Whether the output is its run's final answer: an output with calls isn't. */
function isAnswer({ message }: Extract<Row, { readonly type: 'model-output' }>): boolean {
  return !message.parts.some(({ type }) => type === 'tool-call')
}

/** Validates a source, since rows may have been imported from a file. */
function isSource(source: unknown): source is MemorySource {
  const { title, url } = (source ?? {}) as Record<string, unknown>
  return typeof title === 'string' && (url === undefined || typeof url === 'string')
}
