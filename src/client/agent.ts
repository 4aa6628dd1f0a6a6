import type { ConversationRecord, StoredConversation } from '../protocol/conversation.ts'
import type { JsonSchema } from '../protocol/json.ts'
import type { AgentEvents } from './agent-events.ts'
import type { AgentTools } from './agent-tools.ts'
import type { AgentMemory } from './memory.ts'
import type { CallAnswers } from './call-answers.ts'
import type { Conversation } from './conversation-view.ts'
import type { StoredRows } from './stored-rows.ts'
import type { InferInput } from './infer-schema.ts'
import type { Extracted, ExtractOptions } from './extract.ts'
import type { PageStorage } from './page-storage.ts'
import type { ModelConfig, PromptValues, ResumeOptions, RunInput, RunOptions } from './options.ts'
import type { Run } from './run.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { RegisterOptions } from './tool-registry.ts'
import type { SubAgentOptions } from './sub-agent-options.ts'
import type { CompositeTool, Tool } from './tool.ts'
import type { Trigger, TriggerOptions, TriggerSource } from './triggers/options.ts'
import type { ConversationFile, ImportReport } from './transfer/report.ts'

/** `Symbol.asyncDispose` is not in every app's `lib`; where it is missing, so is `await using`. */
type AsyncDispose = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? Key
  : never

type AsyncDisposes = { readonly [Key in AsyncDispose]: () => Promise<void> }

/** Rejections are `OffstageError`s. `rename`, `delete` and `clearHistory` say whether there was such a conversation. */
export interface Conversations {
  /** Newest first; empty until they are read. The same array as long as nothing changed. */
  getSnapshot(): readonly ConversationRecord[]
  /** At most one call a frame, other tabs' changes included. Returns its undo. Starts the worker. */
  subscribe(listener: () => void): () => void
  /**
   * Newest first. `unfinished`: those with an open run. `children`: also those that calls of other conversations
   * started (`parent`), which are left out as long as that one is there. Default: both false.
   */
  list(options?: {
    readonly unfinished?: boolean
    readonly children?: boolean
  }): Promise<ConversationRecord[]>
  get(conversationId: string): Promise<StoredConversation | null>
  /** An empty title gives it its own back: the beginning of the first message that a person wrote. */
  rename(conversationId: string, title: string): Promise<boolean>
  /**
   * Makes a new conversation of its messages up to one of them, on whatever branch (default: the newest whose calls
   * are done), and resolves to its id; null when there is no such conversation or message. Rejects with
   * `calls-pending` when a call of that message isn't done.
   */
  fork(conversationId: string, options?: { readonly at?: string }): Promise<string | null>
  /**
   * With the conversations that its calls started. What runs in them is aborted first in this tab, and ends as
   * aborted (`deleted`) in others.
   */
  delete(conversationId: string): Promise<boolean>
  /** Forgets the messages, keeps the conversation. `conversation-busy` while a run is open. */
  clearHistory(conversationId: string): Promise<boolean>
  /**
   * What is stored of a conversation, in its order, for tools and diagnoses: the rows after the `seq` `after` (default:
   * from the first one), at most 500 at once. Null when there is no such conversation.
   */
  rows(conversationId: string, options?: { readonly after?: number }): Promise<StoredRows | null>
  /**
   * A file of all conversations, or of one and those that calls of it started: JSON Lines, read from the store as
   * they are taken from the stream. `through`: of that one, the rows up to this `seq` only. `conversation-not-found` when
   * there is none of that id.
   */
  export(
    conversationId?: string,
    options?: { readonly through?: number },
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
  /**
   * Adds the conversations of such a file to those that are there, each of them whole or not at all. Rejects
   * with `invalid-input` when it is no such file, with `storage-newer` when a newer version wrote it. What was
   * imported before the worker dies, or the file can't be read on, is in the error's `details`.
   */
  import(file: ConversationFile): Promise<ImportReport>
  /** Deletes all conversations, and what runs in them as `delete` does. Says how many there were. */
  wipe(): Promise<number>
}

/**
 * An agent on its page. Making one starts nothing; the worker starts with the first run, `resume`,
 * `prepare`, subscription or question about conversations.
 */
export interface Agent extends CallAnswers, AsyncDisposes {
  /** Starts a run at once. What can go wrong is its outcome; this doesn't throw. */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Goes on with the open run of a conversation (without an id: of the newest that has one). Null
   * when there is none. The same handle when called twice.
   */
  resume(conversationId?: string, options?: ResumeOptions): Promise<Run | null>
  /**
   * Lets the parked open run of a conversation go on: after a crash loop, or as soon as there may be
   * room in the storage. One that isn't parked is resumed. Where none is open, and the last one failed, used up its
   * steps or reached a limit, a new one begins without a message, with the same limits. Else null.
   */
  continue(conversationId: string): Promise<Run | null>
  /** Takes effect at the next step. `values` are added to those that are there. */
  configure(change: {
    readonly model?: ModelConfig
    readonly instructions?: string
    readonly values?: PromptValues
  }): void
  /**
   * Adds a part to the live context, behind `context` of the options and read before each step as that is: a string as it
   * is, all else as JSON, undefined for nothing. Returns its undo.
   */
  addContext(read: () => unknown): () => void
  /**
   * Returns an undo that removes this registration only. Throws `duplicate-tool` unless `replace`. Of a function, the tool is
   * what it returns, each time that the tool is needed; its name and schema stay those of the first time.
   */
  registerTool(
    tool: Tool | CompositeTool | (() => Tool | CompositeTool),
    options?: RegisterOptions,
  ): () => void
  /** Only these from the next step on; null: all. */
  setEnabledTools(names: readonly string[] | null): void
  /** The tools that the model can use. */
  readonly tools: AgentTools
  /** The input of a registered tool, by the name that calls have, as the model is told; null: there is none. */
  inputSchema(toolName: string): JsonSchema | null

  /**
   * This agent as a tool of others that have the same storage: each call is a run in a conversation of its own, with
   * this agent's model, instructions and tools, which outlives a reload as the call does. Throws `invalid-config`.
   */
  asTool<const Schema extends JsonSchema | StandardSchema = JsonSchema>(
    options: SubAgentOptions<InferInput<Schema>> & { readonly inputSchema?: Schema },
  ): Tool

  /**
   * Asks the model for data that fits a schema, outside any conversation; a Markdown fence or prose
   * around the JSON is fine. Rejects with `invalid-output` once the retries are used up. Offers the
   * model no tools, stores nothing, and rejects with `worker-lost` when the worker dies.
   */
  extract<const Schema extends JsonSchema | StandardSchema>(
    request: ExtractOptions<Schema>,
  ): Promise<Extracted<Schema>>

  /**
   * From here on, `approve`, `answer` and `run-again` need a person's press, unless the agent has `consent: 'page'`.
   * `<offstage-chat>` calls this when it shows the agent.
   */
  requirePerson(): void

  /**
   * Starts a run without a person: by an event or another agent (`on`), at a time (`at`), or again and again (`every`).
   * While a run is open in the conversation, the message begins the next one. Ends with `remove()` or the agent. Rejects
   * with `invalid-config`; what comes of it later, `agent.on('trigger')` says.
   */
  trigger<const On extends TriggerSource = never>(options: TriggerOptions<On>): Promise<Trigger>
  /** The agent's triggers on this page. */
  triggers(): Promise<readonly Trigger[]>

  /** Ends all open runs and extractions of this agent on this page. */
  abort(reason?: string): void
  /** Starts the worker and loads what a run needs. */
  prepare(options?: { readonly signal?: AbortSignal }): Promise<void>
  readonly conversations: Conversations
  /** Those of the options. */
  readonly memories: readonly AgentMemory[]
  readonly storage: PageStorage
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
