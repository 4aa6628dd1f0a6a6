import type { ConversationRecord, StoredConversation } from '../protocol/conversation.ts'
import type { JsonSchema, JsonValue } from '../protocol/json.ts'
import type { AgentEvents } from './agent-events.ts'
import type { Conversation } from './conversation-view.ts'
import type { Extracted, ExtractOptions } from './extract.ts'
import type { ModelConfig, PromptValues, RunInput, RunOptions } from './options.ts'
import type { Run } from './run-handle.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { RegisterOptions } from './tool-registry.ts'
import type { Tool } from './tool.ts'

/** `Symbol.asyncDispose` is not in every app's `lib`; where it is missing, so is `await using`. */
type AsyncDispose = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? Key
  : never

type AsyncDisposes = { readonly [Key in AsyncDispose]: () => Promise<void> }

/** A call with its conversation; its id alone where only one conversation has such a call, else `ambiguous-call`. */
export type CallRef = string | { readonly conversationId?: string; readonly toolCallId: string }

export interface ResumeOptions {
  /** What to do with calls that may or may not have happened. Default `'tell-model'`. */
  readonly interrupted?: 'tell-model' | 'ask'
  /** How long to wait for the tool of a call that was under way. Default 10 000. */
  readonly waitForToolsMs?: number
}

/** Rejections are `OffstageError`s. `rename`, `delete` and `clearHistory` say whether there was such a conversation. */
export interface Conversations {
  /** Newest first; empty until they are read. The same array as long as nothing changed. */
  getSnapshot(): readonly ConversationRecord[]
  /** At most one call a frame, other tabs' changes included. Returns its undo. Starts the worker. */
  subscribe(listener: () => void): () => void
  list(options?: { readonly unfinished?: boolean }): Promise<ConversationRecord[]>
  get(conversationId: string): Promise<StoredConversation | null>
  rename(conversationId: string, title: string): Promise<boolean>
  delete(conversationId: string): Promise<boolean>
  /** Forgets the messages, keeps the conversation. `conversation-busy` while a run is open. */
  clearHistory(conversationId: string): Promise<boolean>
}

/**
 * An agent on its page. Making one starts nothing; the worker starts with the first run, `resume`,
 * `prepare`, subscription or question about conversations.
 */
export interface Agent extends AsyncDisposes {
  /** Starts a run at once. What can go wrong is its outcome; this doesn't throw. */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Goes on with the open run of a conversation (without an id: of the newest that has one). Null
   * when there is none. The same handle when called twice.
   */
  resume(conversationId?: string, options?: ResumeOptions): Promise<Run | null>
  /**
   * Lets the parked open run of a conversation go on: after a crash loop, or as soon as there may be
   * room in the storage. One that isn't parked is resumed. Null when there is none.
   */
  continue(conversationId: string): Promise<Run | null>
  /** Takes effect at the next step. `values` are added to those that are there. */
  configure(change: {
    readonly model?: ModelConfig
    readonly instructions?: string
    readonly values?: PromptValues
  }): void
  /** Returns an undo that removes this registration only. Throws `duplicate-tool` unless `replace`. */
  registerTool(tool: Tool, options?: RegisterOptions): () => void
  /** Only these from the next step on; null: all. */
  setEnabledTools(names: readonly string[] | null): void

  /**
   * Lets a parked call run, with another input if given. False when it was settled already. This,
   * `answer` and `run-again` reject with `consent-refused` where page tools may have pressed the button.
   */
  approve(call: CallRef, options?: { readonly input?: JsonValue }): Promise<boolean>
  deny(call: CallRef, reason?: string): Promise<boolean>
  /** Answers a question that the agent asked. */
  answer(call: CallRef, text: string): Promise<boolean>
  /**
   * The output of a call that the page ran: in one-shot mode, or of an imported history. The run that goes
   * on once the last is in, else null.
   */
  supplyOutput(call: CallRef, output: unknown): Promise<Run | null>
  /** Says what became of an interrupted call. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    output?: unknown,
  ): Promise<boolean>

  /**
   * Asks the model for data that fits a schema, outside any conversation; a Markdown fence or prose
   * around the JSON is fine. Rejects with `invalid-output` once the retries are used up. Offers the
   * model no tools, stores nothing, and rejects with `worker-lost` when the worker dies.
   */
  extract<const Schema extends JsonSchema | StandardSchema>(
    request: ExtractOptions<Schema>,
  ): Promise<Extracted<Schema>>

  /** Ends all open runs and extractions of this agent on this page. */
  abort(reason?: string): void
  /** Starts the worker and loads what a run needs. */
  prepare(options?: { readonly signal?: AbortSignal }): Promise<void>
  readonly conversations: Conversations
  /** For a conversation that is to begin: a run without an id gets such a one, too. */
  newConversationId(): string
  /** The same object for the same id. */
  conversation(conversationId: string): Conversation
  /** What happens outside runs. Returns its undo. */
  readonly on: AgentEvents['on']
  /**
   * Releases everything; open runs resolve `aborted` (`disposed`) here but stay resumable in the
   * store. Other promises that are open, and questions from now on, reject with `disposed`. Idempotent.
   */
  dispose(): Promise<void>
}
