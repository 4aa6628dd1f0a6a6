import type { Agent } from 'offstage'
import { OffstageError } from 'offstage'

/** A row as it is stored; its other fields are those of its type. */
export interface JournalRow {
  readonly seq: number
  readonly type: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** Ids of the enclosing calls, and of the call itself. */
  readonly path?: readonly string[]
  readonly toolName?: string
  readonly status?: string
  readonly message?: { readonly parts?: readonly JournalPart[] }
}

interface JournalPart {
  readonly type: string
  readonly toolCallId?: string
  readonly toolName?: string
}

/** The rows of a conversation, from the file that everybody can save of it. Empty while nothing is stored. */
export async function readJournal(
  agent: Agent,
  conversationId: string,
): Promise<readonly JournalRow[]> {
  try {
    const file = await new Response(await agent.conversations.export(conversationId)).text()
    const lines = file.split('\n').filter((line) => line !== '')
    return rowsOf(conversationId, lines.map(parseLine))
  } catch (thrown) {
    if (thrown instanceof OffstageError && thrown.code === 'conversation-not-found') return []
    throw thrown
  }
}

/** A line of such a file, as far as it matters here. */
interface Line {
  /** Begins the rows of a conversation: those that its calls started are in the file, too. */
  readonly conversation?: { readonly conversationId: string }
  readonly row?: JournalRow
}

function parseLine(line: string): Line {
  return JSON.parse(line)
}

function rowsOf(conversationId: string, lines: readonly Line[]): readonly JournalRow[] {
  let current = ''
  return lines.flatMap(({ conversation, row }) => {
    if (conversation) current = conversation.conversationId
    return row && current === conversationId ? [row] : []
  })
}
