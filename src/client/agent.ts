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

/**
 * Stored conversations. Rejections are `OffstageError`s. `rename`, `delete` and `clearHistory` resolve to false if the
 * conversation doesn't exist.
 */
export interface Conversations {
  /** Returns the conversations, newest first; empty until they are read. The same array as long as nothing changed. */
  getSnapshot(): readonly ConversationRecord[]
  /**
   * Calls the listener at most once a frame, also for other tabs' changes. Returns a function that unsubscribes. Starts
   * the worker.
   */
  subscribe(listener: () => void): () => void
  /**
   * Lists conversations, newest first. `unfinished`: only those with an open run. `children`: also child conversations
   * (`parent`), otherwise hidden while their parent exists. Default: both false.
   */
  list(options?: {
    readonly unfinished?: boolean
    readonly children?: boolean
  }): Promise<ConversationRecord[]>
  get(conversationId: string): Promise<StoredConversation | null>
  /** Sets the title. An empty title restores the default: the beginning of the first message that a person wrote. */
  rename(conversationId: string, title: string): Promise<boolean>
  /**
   * Copies a conversation up to the message `at`, on any branch, into a new one. Default: the newest message whose
   * calls are done. Resolves to the new id; null if there is no such conversation or message. Rejects with
   * `calls-pending` if a call of that message isn't done.
   */
  fork(conversationId: string, options?: { readonly at?: string }): Promise<string | null>
  /**
   * Deletes a conversation with its child conversations. Their open runs are aborted first in this tab, and end as
   * aborted (`deleted`) in others.
   */
  delete(conversationId: string): Promise<boolean>
  /** Deletes the messages, keeps the conversation. Rejects with `conversation-busy` while a run is open. */
  clearHistory(conversationId: string): Promise<boolean>
  /**
   * Reads stored rows of a conversation in order, for tools and diagnostics: those after the `seq` `after` (default:
   * from the first one), at most 500. Null if there is no such conversation.
   */
  rows(conversationId: string, options?: { readonly after?: number }): Promise<StoredRows | null>
  /**
   * Exports all conversations, or one with its child conversations, as JSON Lines. The store is read as the stream is
   * consumed. `through`: the last `seq` to export of that one. Rejects with `conversation-not-found` for an unknown id.
   */
  export(
    conversationId?: string,
    options?: { readonly through?: number },
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>
  /**
   * Adds the conversations of an exported file to the store, each whole or not at all. Rejects with `invalid-input` for
   * any other file, and with `storage-newer` if a newer version wrote it. If the worker dies or reading fails, the
   * error's `details` list what was imported.
   */
  import(file: ConversationFile): Promise<ImportReport>
  /** Deletes all conversations, as `delete` does. Resolves to their number. */
  wipe(): Promise<number>
}

/**
 * An agent on its page. Creating one starts nothing. The worker starts with the first run, `resume`, `prepare`,
 * subscription or query about conversations.
 */
export interface Agent extends CallAnswers, AsyncDisposes {
  /** Starts a run at once. Never throws: errors are the run's outcome. */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Resumes the open run of a conversation. Without an id: of the newest conversation that has one. Null if there is
   * none. Called twice, returns the same handle.
   */
  resume(conversationId?: string, options?: ResumeOptions): Promise<Run | null>
  /**
   * Continues the paused run of a conversation, for example after a crash loop, or once the storage may have room
   * again. An open run that isn't paused is resumed. If the last run failed, used up its steps or reached a limit,
   * starts a new one with the same limits and no message. Else null.
   */
  continue(conversationId: string): Promise<Run | null>
  /** Changes take effect at the next step. `values` are added to the existing ones. */
  configure(change: {
    readonly model?: ModelConfig
    readonly instructions?: string
    readonly values?: PromptValues
  }): void
  /**
   * Adds a part to the live context, after the `context` option. `read` is called before each step: a string is sent as
   * it is, everything else as JSON, undefined not at all. Returns a function that removes it.
   */
  addContext(read: () => unknown): () => void
  /**
   * Registers a tool. Returns a function that removes this registration only. Throws `duplicate-tool` unless `replace`
   * is set. A function is called whenever the tool is needed; name and schema stay those of its first result.
   */
  registerTool(
    tool: Tool | CompositeTool | (() => Tool | CompositeTool),
    options?: RegisterOptions,
  ): () => void
  /** Limits the model to these tools from the next step on. Null: all tools. */
  setEnabledTools(names: readonly string[] | null): void
  /** The tools that the model can use. */
  readonly tools: AgentTools
  /** Returns the input schema of a registered tool, as the model gets it. Null if no tool has this name. */
  inputSchema(toolName: string): JsonSchema | null

  /**
   * Makes this agent a tool of other agents with the same storage. Each call is a child run in its own conversation,
   * with this agent's model, instructions and tools. It survives a reload as the call does. Throws `invalid-config`.
   */
  asTool<const Schema extends JsonSchema | StandardSchema = JsonSchema>(
    options: SubAgentOptions<InferInput<Schema>> & { readonly inputSchema?: Schema },
  ): Tool

  /**
   * Asks the model for data that fits a schema, outside any conversation. A Markdown fence or prose around the JSON is
   * fine. Rejects with `invalid-output` once the retries are used up, and with `worker-lost` when the worker dies. The
   * model gets no tools, and nothing is stored.
   */
  extract<const Schema extends JsonSchema | StandardSchema>(
    request: ExtractOptions<Schema>,
  ): Promise<Extracted<Schema>>

  /**
   * Makes `approve`, `answer` and `run-again` need a user gesture from now on, unless the agent has `consent: 'page'`.
   * `<offstage-chat>` calls this when it shows the agent.
   */
  requirePerson(): void

  /**
   * Starts runs without a person: on an event or another agent's run (`on`), at a time (`at`), or repeatedly (`every`).
   * While a run is open in the conversation, the message begins the next one. Ends with `remove()` or the agent.
   * Rejects with `invalid-config`; later outcomes arrive as `agent.on('trigger')` events.
   */
  trigger<const On extends TriggerSource = never>(options: TriggerOptions<On>): Promise<Trigger>
  /** The agent's triggers on this page. */
  triggers(): Promise<readonly Trigger[]>

  /** Ends all open runs and extractions of this agent on this page. */
  abort(reason?: string): void
  /** Starts the worker and loads what a run needs. */
  prepare(options?: { readonly signal?: AbortSignal }): Promise<void>
  readonly conversations: Conversations
  /** Memories from the `memory` option. */
  readonly memories: readonly AgentMemory[]
  readonly storage: PageStorage
  /** Returns an id for a new conversation. A run without a `conversationId` gets one in the same way. */
  newConversationId(): string
  /** Returns the conversation's handle: the same object for the same id. */
  conversation(conversationId: string): Conversation
  /** Subscribes to events outside runs. Returns a function that unsubscribes. */
  readonly on: AgentEvents['on']
  /**
   * Releases everything. Open runs resolve as `aborted` (`disposed`) here, but stay resumable in the store. Other open
   * promises, and later calls, reject with `disposed`. Idempotent.
   */
  dispose(): Promise<void>
}
