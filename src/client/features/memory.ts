import type { MemorySource } from '../../protocol/page-calls.ts'
import type { StoredConversation } from '../../protocol/conversation.ts'
import type { RunResult } from '../../protocol/run.ts'
import type { Tool } from '../tools/tool.ts'

/** An entry of a memory. */
export interface MemoryEntry {
  /** Unique in its memory. The model passes this id to forget the entry. */
  readonly id: string
  readonly text: string
  /** The text may contain untrusted content, because the model that wrote it had read some. */
  readonly untrusted?: boolean
  /** Source of the entry. Stored with the conversation, and shown with the answer. */
  readonly source?: MemorySource
}

/** The part of an agent that memories may use. */
export interface RememberingAgent {
  /** Calls the listener when a run begins or is resumed on this page. */
  on(type: 'run', listener: (event: { readonly run: RememberedRun }) => void): () => void
  readonly conversations: {
    get(conversationId: string): Promise<StoredConversation | null>
  }
}

/** Handle of a run, reduced to what memories may use. */
export interface RememberedRun {
  readonly conversationId: string
  /** Resolves to the outcome, whatever happens in the run. Never rejects. */
  readonly result: Promise<RunResult>
}

/** Second argument of `AgentMemory.retrieve`: the user message's origin, and limits for the entries and the time. */
export interface RetrieveContext {
  readonly conversationId: string
  /** Writer of the message: `'model'` for the prompt of a calling agent, `'app'` for a trigger's message. */
  readonly writtenBy: 'person' | 'model' | 'app'
  /**
   * True if the conversation contains untrusted content, which the message may repeat. Return entries made from such a
   * message as `untrusted`: otherwise later conversations treat them as a person's own words.
   */
  readonly tainted: boolean
  /** Maximum number of entries that are sent. */
  readonly limit: number
  /** Aborted after five seconds, or when the agent is disposed. */
  readonly signal: AbortSignal
  /** Emits the agent's warning `memory-failed`, for the app's developer. */
  warn(message: string): void
}

/** A memory that outlives conversations. `offstage/memory` exports several. Your own needs only `retrieve`. */
export interface AgentMemory {
  /**
   * Finds entries that fit a user message, best first. Called once for each message before the model reads it; if
   * several are delivered together, only for the newest. The entries are stored with the conversation. If it throws or
   * takes longer than five seconds, the agent continues without its entries and warns (`memory-failed`).
   */
  retrieve(
    query: string,
    context: RetrieveContext,
  ): readonly MemoryEntry[] | Promise<readonly MemoryEntry[]>
  /**
   * Tools for the model. A function is called with all memories of the agent. Memories that have the same function
   * share one set of tools.
   */
  readonly tools?: MemoryTools
  /** Called with the agent as soon as it exists, so that the memory can store what its runs produce. */
  connect?(agent: RememberingAgent): void
  /** Sends this memory's entries first, before those of other memories, which are ranked together. Default false. */
  readonly always?: boolean
  /**
   * Lists the entries for a person, newest first. If the memory also has `forget`, the chat shows the list in a sheet.
   */
  list?(where: { readonly conversationId: string }): Promise<readonly ListedMemory[]>
  /** Deletes entries. Resolves to the number of deleted entries. */
  forget?(ids: readonly string[], where: { readonly conversationId: string }): Promise<number>
}

export type MemoryTools = readonly Tool[] | ((memories: readonly AgentMemory[]) => readonly Tool[])

/** An entry as a person sees it. */
export interface ListedMemory extends MemoryEntry {
  /** Milliseconds since 1970. */
  readonly at?: number
}

/** The agent's `memory` option as an array. */
export function memoriesOf({
  memory = [],
}: {
  readonly memory?: AgentMemory | readonly AgentMemory[]
}): readonly AgentMemory[] {
  return [memory].flat() as readonly AgentMemory[]
}

export function toolsOfMemories(memories: readonly AgentMemory[]): readonly Tool[] {
  const sets = new Set(memories.map(({ tools = [] }) => tools))
  return [...sets].flatMap((tools) => (typeof tools === 'function' ? tools(memories) : tools))
}
