import type { Calls, Command } from './call.ts'
import type {
  AbortRun,
  AnnounceChild,
  CallAnswer,
  ExtractRequest,
  Extraction,
  ExtractRef,
  ForkConversation,
  ImportRows,
  LeaseCheck,
  MadeTitle,
  OlderMessagesQuery,
  Preparation,
  ResumeRun,
  RevokeConsent,
  RowsFound,
  RowsQuery,
  SendMessage,
  StartRun,
  SupplyOutput,
  WithdrawMessage,
} from './commands.ts'
import type { KeepAnswer, KeepOutcomes, NestedAnswer, NestedCall } from './composite.ts'
import type { ConversationRecord, StoredConversation } from './conversation.ts'
import type { ErrorCode } from './error.ts'
import type { LockRef, PageHello, WorkerHello } from './handshake.ts'
import type { DroppedConversation, Retention } from './retention.ts'
import type { AgentRef, AgentScope, ConversationScope, RunRef } from './scope.ts'
import type { OlderMessages } from './state.ts'

/** The storage refuses the operation, or holds data that this version can't read. */
type Stored =
  | 'storage-failed'
  | 'storage-full'
  | 'storage-blocked'
  | 'storage-newer'
  | 'storage-offline'

/** Redacting the data before storing it failed. */
type Unredacted = 'redact-failed'

/** Errors of driving a conversation: those of the storage, or damaged rows. */
type Driven = Stored | 'conversation-broken'

/** Errors of changing a conversation: additionally, somebody else owns it or it is gone. */
type Owned = Driven | Unredacted | 'conversation-busy' | 'conversation-not-found' | 'ownership-lost'

/**
 * All calls from the page to the worker (Comlink over the worker itself). The worker handles commands of one page in
 * the order of sending. A run's outcome never comes as a result, but as its last event. Each command is a method of the
 * same name: of `Link` in `worker/link.ts`, of `Host`, or of a part that `Host` names.
 */
export const WORKER_CALLS = {
  /** Must be the first call. */
  connect: {} as Command<PageHello, WorkerHello, 'protocol-mismatch'>,
  /** Answers as soon as the worker's event loop is free. */
  ping: {} as Command<void, void>,
  /**
   * Holds a Web Lock of this name, which becomes free when the worker dies. Answers once the lock is held; false if Web
   * Locks are unsupported, so that only the heartbeat detects the worker's death.
   */
  holdLock: {} as Command<LockRef, boolean>,

  /** Accepts the run and returns at once. A refusal is the run's `failed` outcome. */
  startRun: {} as Command<StartRun, void>,
  /** Resumes an open run. Null if there is none. If this worker drives the run already, only returns its ids. */
  resumeRun: { survives: true } as Command<ResumeRun, RunRef | null, Driven>,
  /** Takes over a run from another tab, so that this worker drives it. Null if there is none, or the tab refuses. */
  takeOver: { survives: true } as Command<ResumeRun & ConversationScope, RunRef | null, Driven>,
  /**
   * Ends a run, even if it is paused or another tab drives it. True once the store has this end, or the run will not
   * begin; false if the run ended otherwise.
   */
  abortRun: { survives: true } as Command<AbortRun, boolean, Driven | 'conversation-busy'>,
  /** Answers a call. False if the call is unknown, or already answered or settled. */
  answerCall: {} as Command<
    CallAnswer,
    boolean,
    Driven | Unredacted | 'conversation-busy' | 'invalid-input' | 'ambiguous-call'
  >,
  /** Sends a message to a run. False if the run has ended: the message doesn't join the conversation. */
  sendMessage: {} as Command<SendMessage, boolean, Driven | Unredacted | 'conversation-busy'>,
  /** Withdraws a message. False if the message is unknown, or already delivered or withdrawn. */
  withdrawMessage: {} as Command<
    WithdrawMessage,
    boolean,
    Driven | Unredacted | 'conversation-busy'
  >,
  /** Revokes a consent. False if the consent isn't in effect. */
  revokeConsent: {} as Command<RevokeConsent, boolean, Owned>,
  /** Supplies a call's output. Returns the run that continues after the last pending output, otherwise null. */
  supplyOutput: {} as Command<SupplyOutput, RunRef | null, Owned | 'ambiguous-call'>,
  /**
   * Returns whether this worker still owns the conversation under this epoch, according to the store. The page checks
   * this before a late start of a non-repeatable call, since another owner may have taken over.
   */
  confirmLease: {} as Command<LeaseCheck, boolean, Stored>,
  /** Stores the ids of a child run with its call before the child begins. This worker drives the call's run. */
  announceChild: {} as Command<
    AnnounceChild,
    void,
    Stored | Unredacted | 'ownership-lost' | 'invalid-input'
  >,

  /** Makes a nested call of a composite tool. Answers when the call has ended. */
  callTool: {} as Command<NestedCall, NestedAnswer>,
  /** Stores outcomes of a composite tool's steps. */
  keepOutcomes: {} as Command<KeepOutcomes, KeepAnswer>,

  /**
   * Starts publishing the conversation to the page: first a checkpoint (`joined`) on the event port, then everything
   * after it. A repeated call publishes a new checkpoint.
   */
  join: { survives: true } as Command<ConversationScope, void, Stored>,
  /** Stops publishing the conversation, except for runs that this worker drives. */
  leave: {} as Command<ConversationScope, void>,
  /** Returns earlier messages of the head's path. Null if the given message isn't on the path any more. */
  olderMessages: { survives: true } as Command<OlderMessagesQuery, OlderMessages | null>,
  /** Selects the most recently used branch under a message. False if the message doesn't exist. */
  switchBranch: {} as Command<ConversationScope & { readonly messageId: string }, boolean, Owned>,
  /**
   * Undoes a call on the page. True once that is stored; false if there is no such call, or nothing to undo. Rejects
   * with `call-failed` if the undo failed or its outcome is unknown.
   */
  undoCall: {} as Command<
    ConversationScope & { readonly toolCallId: string },
    boolean,
    Owned | 'call-failed'
  >,

  listConversations: { survives: true } as Command<
    AgentScope & { readonly unfinished?: boolean; readonly children?: boolean },
    ConversationRecord[],
    Stored
  >,
  getConversation: { survives: true } as Command<
    ConversationScope,
    StoredConversation | null,
    Stored
  >,
  renameConversation: {} as Command<
    ConversationScope & { readonly title: string },
    boolean,
    Stored | Unredacted | 'invalid-input'
  >,
  /**
   * Asks a model for a title of an untitled conversation. Null if it has a title, is empty, or the model gave none.
   * Rejects with `aborted` when a run of the agent begins.
   */
  titleConversation: {} as Command<ConversationScope, MadeTitle | null, ErrorCode>,
  /** Copies the beginning of a conversation into a new one. False if the conversation or message doesn't exist. */
  forkConversation: {} as Command<
    ForkConversation,
    boolean,
    Exclude<Owned, 'conversation-not-found'> | 'calls-pending'
  >,
  /** Deletes a conversation and its child conversations. */
  deleteConversation: {} as Command<ConversationScope, boolean, Stored>,
  /** Deletes all conversations and returns their number. */
  wipeConversations: {} as Command<AgentScope, number, Stored>,
  /**
   * Deletes conversations beyond the retention limits and returns them. Does nothing while another tab does the same.
   */
  retainConversations: {} as Command<
    AgentScope & { readonly retention: Retention },
    DroppedConversation[],
    Stored
  >,
  /** Returns rows for an export. Null if the conversation doesn't exist. */
  exportRows: { survives: true } as Command<RowsQuery, RowsFound | null, Stored>,
  /**
   * Imports rows. False if a conversation with this id exists. If it rejects, nothing of the conversation is stored.
   */
  importRows: {} as Command<ImportRows, boolean, Driven | Unredacted | 'ownership-lost'>,
  /** Deletes the rows of an incomplete import. */
  dropImport: {} as Command<ConversationScope & { readonly importId: string }, void, Stored>,
  /** Clears the messages but keeps the conversation. Refused while a run is open. */
  clearHistory: {} as Command<ConversationScope, boolean, Owned>,

  /** Makes one model call for data. A failed call is also an answer, because it has used tokens. */
  extract: {} as Command<ExtractRequest, Extraction, ErrorCode>,
  /** Aborts the model call of an extraction. */
  stopExtracting: {} as Command<ExtractRef, void>,
  /** Loads the needs of a future run: the store, and an engine's model. */
  prepare: { survives: true } as Command<Preparation, void, ErrorCode>,
  /** Cancels an unfinished `prepare` of this agent, which rejects with `aborted`. */
  stopPreparing: {} as Command<AgentRef, void>,

  /** Reports changed tools: calls that wait for a tool check again. */
  toolsChanged: {} as Command<AgentRef, void>,
  /** Reports a disposed agent: its runs stop without an end and can be resumed. */
  releaseAgent: {} as Command<AgentRef, void>,
}

export type WorkerCalls = typeof WORKER_CALLS

/** The worker's calls, as its page sees them. */
export type WorkerApi = Calls<WorkerCalls>
