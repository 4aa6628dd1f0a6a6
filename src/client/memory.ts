import type { MemorySource } from '../protocol/memory.ts'
import type { StoredConversation } from '../protocol/conversation.ts'
import type { RunResult } from '../protocol/run.ts'
import type { Tool } from './tool.ts'

/** Something that is remembered. */
export interface MemoryEntry {
  /** Unique in its memory: the model names by it what is to be forgotten. */
  readonly id: string
  readonly text: string
  /** It may hold words of others, or was made of such: the model that wrote it had read some. */
  readonly untrusted?: boolean
  /** Stored with the conversation, and shown with the answer. */
  readonly source?: MemorySource
}

/** An agent, as its memories know it. */
export interface RememberingAgent {
  /** A run has begun on this page, or is resumed here. */
  on(type: 'run', listener: (event: { readonly run: RememberedRun }) => void): () => void
  readonly conversations: {
    get(conversationId: string): Promise<StoredConversation | null>
  }
}

export interface RememberedRun {
  readonly conversationId: string
  readonly result: Promise<RunResult>
}

export interface RetrieveContext {
  readonly conversationId: string
  /** The writer of the message: `'model'` for the prompt of an agent that calls this one, `'app'` for what a trigger sent. */
  readonly writtenBy: 'person' | 'model' | 'app'
  /**
   * The conversation holds words of others: so may the message. What a memory keeps of it must say so when it is found
   * (`untrusted`), or it counts as a person's own in later conversations.
   */
  readonly tainted: boolean
  /** More entries aren't sent. */
  readonly limit: number
  /** Aborted when the answer isn't waited for any longer, or the agent is disposed. */
  readonly signal: AbortSignal
  /** Emits the agent's warning `memory-failed`, for what the app's developer should know. */
  warn(message: string): void
}

/**
 * What an agent remembers beside its conversations. `offstage/memory` has some; one of your own needs
 * `retrieve` only.
 */
export interface AgentMemory {
  /**
   * Finds what fits a message of the person, best first. Asked once for each message, before the model is; what it
   * finds is stored with the conversation. One that throws, or takes longer than five seconds, finds nothing, and
   * the agent warns (`memory-failed`).
   */
  retrieve(
    query: string,
    context: RetrieveContext,
  ): readonly MemoryEntry[] | Promise<readonly MemoryEntry[]>
  /**
   * Tools for the model. A function makes them for all memories of the agent, and is asked once though several have it:
   * so they share one set.
   */
  readonly tools?: MemoryTools
  /** Gets the agent as soon as it exists, to keep what comes of its runs. */
  connect?(agent: RememberingAgent): void
  /** Its entries are sent in full, before those of other memories, which are ranked together. Default false. */
  readonly always?: boolean
  /** What a person is shown, newest first. With `forget`, the chat has a sheet for it. */
  list?(where: { readonly conversationId: string }): Promise<readonly ListedMemory[]>
  /** Resolves to how many of these there were. */
  forget?(ids: readonly string[], where: { readonly conversationId: string }): Promise<number>
}

export type MemoryTools = readonly Tool[] | ((memories: readonly AgentMemory[]) => readonly Tool[])

/** An entry as a person is shown it. */
export interface ListedMemory extends MemoryEntry {
  /** Milliseconds since 1970. */
  readonly at?: number
}

/** Of an agent's option, which may be one, several or none. */
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
