import type {
  ConversationRecord,
  DroppedConversation,
  StoredConversation,
} from '../../protocol/conversation.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import type { AgentMemory } from '../features/memory.ts'
import type { AnswerOptions, CallAnswers, CallRef } from '../execution/person-check.ts'
import type { StoredRows } from '../runs/stored-rows.ts'
import type { InferInput } from '../tools/infer-schema.ts'
import type { Extracted, ExtractOptions } from '../features/extract.ts'
import type {
  ModelConfig,
  PromptValues,
  ResumeOptions,
  RunInput,
  RunOptions,
  SubAgentOptions,
} from './options.ts'
import type { Run, SendOptions } from '../runs/run.ts'
import type { StandardSchema } from '../tools/standard-schema.ts'
import type { RegisterOptions } from '../tools/tool-registry.ts'
import type { CompositeTool, Tool } from '../tools/tool.ts'
import type { Trigger, TriggerOptions, TriggerOutcome, TriggerSource } from '../triggers/options.ts'
import type { ConversationFile, ImportReport } from '../transfer/export-file.ts'
import type { RemoteSource, ToolAnnotations } from '../../protocol/tool.ts'
import type { SnapshotStore } from '../runs/snapshot-store.ts'
import type { ConversationSnapshot } from '../../conversation/snapshot.ts'
import type { KeptReason } from '../../conversation/undo-plan.ts'
import type { MadeTitle } from '../../protocol/worker-calls.ts'
import { reportThrown } from './failures.ts'
import type { AgentNotice } from '../worker-link/worker-link.ts'

/** Events that an agent emits outside its runs. */
export type AgentEvent =
  | AgentNotice
  /** This page has deleted conversations that `retention` no longer keeps. */
  | {
      readonly type: 'conversations-dropped'
      readonly conversations: readonly DroppedConversation[]
    }
  /** A model has made a title: see `titles`. */
  | ({ readonly type: 'conversation-titled'; readonly conversationId: string } & MadeTitle)
  /**
   * This page got the handle of a run that was started or resumed here. Emitted once for each handle, before its first
   * event.
   */
  | { readonly type: 'run'; readonly run: Run }
  /** Tools were registered, removed, enabled or disabled: see `Agent.tools`. */
  | { readonly type: 'tools' }
  /** A trigger of this page fired: see `agent.trigger()`. */
  | ({ readonly type: 'trigger' } & TriggerOutcome)
  | { readonly type: 'status'; readonly status: 'idle' | 'running'; readonly openRuns: number }

/** Receives the agent events of one type. Passed to `agent.on()`. */
export type AgentListener<Type extends AgentEvent['type']> = (
  event: Extract<AgentEvent, { readonly type: Type }>,
) => void

export interface AgentEvents {
  on<Type extends AgentEvent['type']>(
    type: Type,
    listener: AgentListener<Type>,
    options?: { readonly signal?: AbortSignal },
  ): () => void
  emit(event: AgentEvent): void
  clear(): void
}

export function createAgentEvents(): AgentEvents {
  const listeners = new Set<(event: AgentEvent) => void>()
  return {
    on(type, listener, { signal } = {}) {
      const entry = (event: AgentEvent): void => {
        if (event.type === type) listener(event as Parameters<typeof listener>[0])
      }
      const off = (): void => void listeners.delete(entry)
      if (!signal?.aborted) listeners.add(entry)
      signal?.addEventListener('abort', off, { once: true })
      return off
    },
    emit(event) {
      for (const listener of listeners)
        try {
          listener(event)
        } catch (thrown) {
          reportThrown(thrown)
        }
    },
    clear: () => listeners.clear(),
  }
}

/** A tool of an agent, registered or built in. Functions are left out. */
export interface AgentTool {
  /** The app's own name for the tool. */
  readonly name: string
  /** The model's name for the tool, if it differs. */
  readonly modelName?: string
  readonly title?: string
  readonly description: string
  /** JSON Schema of the input, as `Agent.inputSchema()` returns it. */
  readonly inputSchema: JsonSchema
  readonly annotations: ToolAnnotations
  /** The server or page that defines the tool. Absent if the app defines it. */
  readonly remote?: RemoteSource
  /** The model can use the tool only while one of these skills is active. */
  readonly skills?: readonly string[]
  /** Whether the model can use the tool in the next step. */
  readonly enabled: boolean
  /**
   * Why the tool is not enabled.
   * - `not-enabled`: `enabledTools` doesn't name it.
   * - `unavailable`: its `available()` returned false or threw.
   */
  readonly whyNot?: 'not-enabled' | 'unavailable'
}

/**
 * All tools of an agent: registered ones, and those of memories, skills, servers and `controlTools`. Each read calls
 * the tools' `available()`. Listeners aren't notified if only its return value changes.
 */
export interface AgentTools extends SnapshotStore<readonly AgentTool[]> {
  /** Empty until the tools have been read. Returns the same array until something changes. */
  getSnapshot(): readonly AgentTool[]
  /**
   * Notifies the listener once for tools that change together. Returns a function that unsubscribes. Doesn't start the
   * worker.
   */
  subscribe(listener: () => void): () => void
  /** Reads the current tools. */
  list(): Promise<readonly AgentTool[]>
}

export interface UndoTurnOptions extends AnswerOptions {
  /** Ids of calls to leave as they are. Default: none. */
  readonly skip?: readonly string[]
  /** Stops before the next call when aborted. An undo in progress finishes. */
  readonly signal?: AbortSignal
}

/** Outcome of `conversation.undoTurn()`. */
export interface UndoneTurn {
  /** Ids of the undone calls, in the order of undoing. */
  readonly undone: readonly string[]
  /** The call that couldn't be undone, if any. */
  readonly failed?: {
    readonly toolCallId: string
    /**
     * - `failed`: the tool's `undo` threw, for example to refuse. Call `undoTurn()` again to retry.
     * - `not-begun`: the tool isn't registered on this page, or the call ran in another browser. Retry there.
     * - `unknown`: the undo was cut off or took too long. It is never repeated; the next `undoTurn()` skips the call.
     */
    readonly status: 'failed' | 'not-begun' | 'unknown'
    /** Message of the tool's error. For other statuses, a sentence that explains the status. */
    readonly message: string
  }
  /**
   * Calls of the turn that weren't undone here. Reasons, besides those of `KeptReason`:
   * - `skipped`: the call is in `skip`.
   * - `not-tried`: another undo of this turn failed before, or the signal was aborted.
   * - `elsewhere`: another tab undid the call, or tried to, at the same time.
   */
  readonly kept: readonly {
    readonly toolCallId: string
    readonly reason: KeptReason | 'skipped' | 'not-tried' | 'elsewhere'
  }[]
}

type BranchOptions = Omit<RunOptions, 'conversationId' | 'history'>

/**
 * State of a conversation, and the user's actions in it. Works with `useSyncExternalStore` and similar stores. Call ids
 * are those of this conversation. Methods are bound.
 */
export interface Conversation extends SnapshotStore<ConversationSnapshot>, CallAnswers {
  /** The status is `'loading'` until the newest messages have loaded. Older messages load automatically. */
  getSnapshot(): ConversationSnapshot
  /**
   * Notifies the listener at most once a frame, and once before a tool starts. Returns a function that unsubscribes.
   * Starts the worker.
   */
  subscribe(listener: () => void): () => void
  /**
   * Like the agent's `run`, in this conversation, with the user's input. `{{name}}` in the input is replaced only if
   * you pass `values`. Pass `{}` to use only the agent's values.
   */
  send(input: RunInput, options?: Omit<RunOptions, 'conversationId'>): Run
  /**
   * Edits a user message. The run begins a new branch, which is shown from then on; the old one is kept
   * (`switchBranch`). Effects of tools aren't undone. `values` work as for `send`. The run's outcome reports errors:
   * - `invalid-input`: no such message, or not a user message.
   * - `calls-pending`: calls are waiting for something.
   * - `conversation-busy`: as for `send`.
   */
  edit(messageId: string, input: RunInput, options?: BranchOptions): Run
  /**
   * Has the model answer a user message again, in a new branch; the existing answer stays. `messageId` is that message,
   * or any message of its answer. Default: the newest user message. Errors as for `edit`.
   */
  regenerate(messageId?: string, options?: BranchOptions): Run
  /**
   * Sends a message to the open run, as `Run.send` does, whichever agent or tab drives the run. A run that this page
   * just started also gets the message. Resolves to the message's id once it is stored, or to null if no run is open.
   * The message is in the snapshot's `queued` until the model gets it.
   */
  steer(input: RunInput, options?: SendOptions): Promise<string | null>
  /** Withdraws a message from `queued`. False if it was already delivered or returned. */
  withdraw(messageId: string): Promise<boolean>
  /** Like the agent's `resume`, for this conversation. */
  resume(options?: ResumeOptions): Promise<Run | null>
  /** Like the agent's `continue`, for this conversation. */
  continue(): Promise<Run | null>
  /**
   * Aborts the open run, whichever agent or tab drives it. A handle on this page ends at once. Resolves to true once
   * the run has ended as aborted; to false if no run is open, or the run ended otherwise. Rejects with
   * `conversation-busy` if no tab could end the run.
   */
  abort(reason?: string): Promise<boolean>
  /**
   * Shows the most recently used branch under a message, and continues from there. False if there is no such message.
   * Rejects with `conversation-busy` while a run is open.
   */
  switchBranch(messageId: string): Promise<boolean>
  /**
   * Undoes a successful call with its tool's `undo`, on this page. The model is informed. The snapshot marks such
   * calls as `undoable`. False if the call was already undone, or an earlier undo was interrupted. Rejects with:
   * - `call-failed`: the tool failed. `details.status` is `'failed'`, `'not-begun'` (try again) or `'unknown'`.
   * - `conversation-busy`: a run is open.
   * - `consent-refused`: page tools may have clicked the button.
   */
  undo(toolCallId: string, options?: AnswerOptions): Promise<boolean>
  /**
   * Undoes the calls of a finished turn, the newest first, each as `undo` does, by one user gesture. A turn is a user
   * message and everything after it up to the next one: `messageId` is that message, or any message of its answer.
   * Stops at the first undo that fails, because that call may build on earlier ones. Call `undoTurn()` again to
   * continue, also after a reload: no call is undone twice. The option `consent` is made for the message id:
   * `conversation.consent(messageId, event)`. Rejects with:
   * - `invalid-input`: this branch has no such message.
   * - `conversation-busy`: a run is open, or another tab is undoing. Call `undoTurn()` again to continue.
   * - `consent-refused`: as for `undo`.
   *
   * @example
   * const { undone, failed, kept } = await conversation.undoTurn(message.id)
   * if (failed) show(`${undone.length} undone, then: ${failed.message}`)
   */
  undoTurn(messageId: string, options?: UndoTurnOptions): Promise<UndoneTurn>
  /**
   * Asks the model about a call that waits for approval. The call keeps waiting: nothing that the model answers can
   * run, change, approve or deny it. It may suggest another input, which a person can approve
   * (`approve(call, { input })`).
   *
   * The question and its answer are kept in a conversation of their own, which `agent.conversation(discussionId(call))`
   * shows and `readDiscussion` reads (`offstage/conversation`). Approving or denying the call ends an answer that is
   * still being written. The model of this conversation then gets the discussion with the call's result.
   *
   * Resolves to the run that answers. Without a question, resumes an answer that a reload has cut off, or resolves to
   * null if there is none. Rejects with `invalid-input` if the call doesn't wait for an approval.
   *
   * @example
   * const run = await conversation.discuss(call, 'Why three attachments?')
   * for await (const event of run) if (event.type === 'text-delta') show(event.delta)
   */
  discuss(call: CallRef, question?: string): Promise<Run | null>
  /**
   * Revokes a consent in the snapshot's `consents`: calls that haven't started yet request approval. False if the
   * consent is no longer in force. Works while a run is open, whichever tab drives it.
   */
  revoke(consentId: string): Promise<boolean>
  /**
   * Takes the run over from another tab, or from the device that has claimed it. The run continues here, with this
   * agent's tools and model. Work in the other place is interrupted. Options as for `resume`.
   */
  takeOver(options?: ResumeOptions): Promise<Run | null>
}

/** The browser's report on the storage of this site. */
export interface StorageEstimate {
  /** Bytes that this site uses. Like `quota`, absent if the browser doesn't report them. */
  readonly usage?: number
  readonly quota?: number
  /** True if the browser won't delete the site's data to make room. */
  readonly persisted: boolean
}

/** The browser's storage for this site, shared by all agents. No method rejects. */
export interface PageStorage {
  /**
   * Asks the browser not to delete this site's data to make room. Resolves to true if the browser agrees. Some browsers
   * ask the person, others decide by how the site is used.
   */
  persist(): Promise<boolean>
  estimate(): Promise<StorageEstimate>
}

/** Returns an empty object if the browser has no storage manager: on plain HTTP, and in some private windows. */
const manager = (): Partial<StorageManager> => globalThis.navigator?.storage ?? {}

const valueOrUndefined = <Value>(promise: Promise<Value> | undefined): Promise<Value | undefined> =>
  Promise.resolve(promise).catch(() => undefined)

export const pageStorage: PageStorage = {
  persist: async () => (await valueOrUndefined(manager().persist?.())) === true,
  async estimate() {
    const [{ usage, quota } = {}, persisted = false] = await Promise.all([
      valueOrUndefined(manager().estimate?.()),
      valueOrUndefined(manager().persisted?.()),
    ])
    return {
      ...(usage !== undefined && { usage }),
      ...(quota !== undefined && { quota }),
      persisted,
    }
  },
}

/** `Symbol.asyncDispose` is not in every app's `lib`; where it is missing, `await using` is missing, too. */
type AsyncDispose = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? Key
  : never

type AsyncDisposes = { readonly [Key in AsyncDispose]: () => Promise<void> }

/**
 * Stored conversations. Rejections are `OffstageError`s. `rename`, `delete` and `clearHistory` resolve to false if the
 * conversation doesn't exist.
 */
export interface Conversations {
  /**
   * Returns the conversations, newest first. Empty until they are read. Returns the same array until something changes.
   */
  getSnapshot(): readonly ConversationRecord[]
  /**
   * Calls the listener at most once a frame, also for other tabs' changes. Returns a function that unsubscribes. Starts
   * the worker.
   */
  subscribe(listener: () => void): () => void
  /**
   * Lists conversations, newest first. `unfinished`: only those with an open run. `children`: also child conversations
   * (those with a `parent`), normally hidden while their parent exists. Default: both false.
   */
  list(options?: {
    readonly unfinished?: boolean
    readonly children?: boolean
  }): Promise<ConversationRecord[]>
  get(conversationId: string): Promise<StoredConversation | null>
  /** Sets the title. An empty title restores the default: the beginning of the first message that a person wrote. */
  rename(conversationId: string, title: string): Promise<boolean>
  /**
   * Copies a conversation up to the message `at`, on any branch, into a new one. Default of `at`: the newest message
   * whose calls are done. Resolves to the new id; null if there is no such conversation or message. Rejects with
   * `calls-pending` if a call of that message isn't done.
   */
  fork(conversationId: string, options?: { readonly at?: string }): Promise<string | null>
  /**
   * Deletes a conversation with its child conversations. Open runs of this tab are aborted first. Those of other tabs
   * end as `aborted`, with the reason `deleted`.
   */
  delete(conversationId: string): Promise<boolean>
  /** Deletes the messages, keeps the conversation. Rejects with `conversation-busy` while a run is open. */
  clearHistory(conversationId: string): Promise<boolean>
  /**
   * Reads up to 500 stored rows of a conversation in order, for tools and diagnostics. `after`: `seq` of the row before
   * the first one. Default: reads from the beginning. Null if there is no such conversation.
   */
  rows(conversationId: string, options?: { readonly after?: number }): Promise<StoredRows | null>
  /**
   * Exports all conversations, or one with its child conversations, as JSON Lines. The store is read as the stream is
   * consumed. `through`: the last `seq` to export of the given conversation. Rejects with `conversation-not-found` for
   * an unknown id.
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
 * An agent on its page. Creating an agent starts nothing. The worker starts with the first run, `resume`, `prepare`,
 * subscription or query about conversations.
 */
export interface Agent extends CallAnswers, AsyncDisposes {
  /**
   * Sends a message to the model, which answers and calls tools until it is done. Returns the run at once: await its
   * `result`, or iterate its events. Never throws, and `result` never rejects: after an error, its `outcome` is
   * `'failed'`. If the conversation has an open run, the new one fails with `conversation-busy`, unless you pass
   * `ifBusy: 'queue'` or `'replace'`.
   *
   * @example
   * const run = agent.run('Two blue mugs, please', { conversationId: 'shop' })
   * for await (const event of run) if (event.type === 'text-delta') show(event.delta)
   * const { outcome, text } = await run.result // such as 'completed', and the last message's text
   */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Resumes the run that a reload or crash interrupted in a conversation. Default: the newest conversation with an open
   * run. Resolves to the `Run`, the same handle if called twice. Null if no run is open, or another tab or device
   * drives it.
   */
  resume(conversationId?: string, options?: ResumeOptions): Promise<Run | null>
  /**
   * Continues the paused run of a conversation, for example after a crash loop, or once the storage may have room
   * again. An open run that isn't paused is resumed. If the last run failed, used up its steps or reached a limit,
   * starts a new one with the same limits and no message. Otherwise resolves to null.
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
   * it is, everything else as JSON, undefined not at all. Returns a function that removes the part.
   */
  addContext(read: () => unknown): () => void
  /**
   * Registers a tool. Returns a function that removes this registration only. Throws `duplicate-tool` unless `replace`
   * is set. If you pass a function, it is called whenever the tool is needed. Name and schema stay those of its first
   * result.
   */
  registerTool(
    tool: Tool | CompositeTool | (() => Tool | CompositeTool),
    options?: RegisterOptions,
  ): () => void
  /** Limits the model to these tools from the next step on. Null: all tools. */
  setEnabledTools(names: readonly string[] | null): void
  /**
   * All tools of the agent, also those that the model can't use now (`enabled: false`). Read them with `list()`,
   * or follow them with `getSnapshot()` and `subscribe()`. `registerTool()` adds tools, `setEnabledTools()` limits
   * them.
   */
  readonly tools: AgentTools
  /** Returns the input schema of a registered tool, as the model gets it. Null if no tool has this name. */
  inputSchema(toolName: string): JsonSchema | null

  /**
   * Makes this agent a tool of other agents with the same storage. Each call is a child run in its own conversation,
   * with this agent's model, instructions and tools. The child run survives a reload, like the call. Throws
   * `invalid-config`.
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
   * If a run is open in the conversation, the message begins the next run. The trigger ends with `remove()`, or with
   * the agent. Rejects with `invalid-config`; later outcomes arrive as `agent.on('trigger')` events.
   */
  trigger<const On extends TriggerSource = never>(options: TriggerOptions<On>): Promise<Trigger>
  /** The agent's triggers on this page. */
  triggers(): Promise<readonly Trigger[]>

  /**
   * Aborts all open runs of this agent on this page, and its `extract()` calls. The runs end as `aborted` with this
   * reason (default `'aborted'`), and can't be resumed. Extractions reject with `aborted`. `run.abort()` ends a single
   * run.
   */
  abort(reason?: string): void
  /** Starts the worker and loads what a run needs. */
  prepare(options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Lists, renames, forks, deletes, exports and imports stored conversations. For the state of a single conversation,
   * use `conversation(id)`.
   */
  readonly conversations: Conversations
  /** Memories from the `memory` option. */
  readonly memories: readonly AgentMemory[]
  /**
   * Manages this site's storage in the browser. `estimate()` resolves to the used and available bytes. `persist()` asks
   * the browser never to delete the data to make room.
   */
  readonly storage: PageStorage
  /** Returns an id for a new conversation. A run without a `conversationId` gets one in the same way. */
  newConversationId(): string
  /**
   * Returns the handle of a conversation, to read its state (`getSnapshot()`, `subscribe()`), send messages and answer
   * calls. Any id works: the first run creates a new conversation. The same id returns the same object.
   */
  conversation(conversationId: string): Conversation
  /**
   * Subscribes to events of the agent: `run`, `status`, `tools`, `trigger`, `warning`, `worker`, `storage`,
   * `engine-progress`, `conversation-titled`, `conversations-dropped`. Events of a run, such as its text, come from
   * iterating the `Run`. Returns a function that unsubscribes. The option `signal` unsubscribes on abort.
   *
   * @example
   * const off = agent.on('warning', ({ code, message }) => console.warn(code, message))
   */
  readonly on: AgentEvents['on']
  /**
   * Releases everything. On this page, open runs end as `aborted`, with the reason `disposed`; `resume()` of another
   * agent can continue them. Other open promises, and methods called later, reject with `disposed`. A second
   * `dispose()` does nothing.
   */
  dispose(): Promise<void>
}
