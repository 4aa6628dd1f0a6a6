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

/** The storage refuses, or holds what this version can't read. */
type Stored =
  | 'storage-failed'
  | 'storage-full'
  | 'storage-blocked'
  | 'storage-newer'
  | 'storage-offline'

/** What is to be stored could not be redacted. */
type Unredacted = 'redact-failed'

/** The same as the storage's refusals, of one conversation that is to be driven. */
type Driven = Stored | 'conversation-broken'

/** The same, of one that is to be changed: it is somebody else's, or gone. */
type Owned = Driven | Unredacted | 'conversation-busy' | 'conversation-not-found' | 'ownership-lost'

/**
 * All that the page may ask of the worker (Comlink over the worker itself). Commands of one page are
 * taken in the order in which they were sent. A run's outcome never comes as a result but as its last
 * event. What answers a command is a method of the same name: of `Link` in `worker/link.ts`, of `Host`,
 * or of a part that `Host` names.
 */
export const WORKER_CALLS = {
  /** Must be the first call. */
  connect: {} as Command<PageHello, WorkerHello, 'protocol-mismatch'>,
  /** Answers as soon as the worker's event loop turns. */
  ping: {} as Command<void, void>,
  /**
   * Holds a Web Lock of this name, which comes free when the worker dies. Answers once it is held;
   * false where Web Locks are missing: then only the heartbeat shows the worker's death.
   */
  holdLock: {} as Command<LockRef, boolean>,

  /** Accepts the run and returns at once; a refusal is the run's `failed` outcome. */
  startRun: {} as Command<StartRun, void>,
  /** Null when there is nothing to resume. A run this worker already drives is just named. */
  resumeRun: { survives: true } as Command<ResumeRun, RunRef | null, Driven>,
  /** Has another tab hand over its run; this worker drives it then. Null when there is none, or it is refused. */
  takeOver: { survives: true } as Command<ResumeRun & ConversationScope, RunRef | null, Driven>,
  /**
   * Ends a run, parked and stored ones too, whichever tab drives it. True once it has ended so in the store,
   * or will not begin; false when it had another end.
   */
  abortRun: { survives: true } as Command<AbortRun, boolean, Driven | 'conversation-busy'>,
  /** False when the call was settled or answered already, or isn't known. */
  answerCall: {} as Command<
    CallAnswer,
    boolean,
    Driven | Unredacted | 'conversation-busy' | 'invalid-input' | 'ambiguous-call'
  >,
  /** False when the run had ended: the message is not part of the conversation. */
  sendMessage: {} as Command<SendMessage, boolean, Driven | Unredacted | 'conversation-busy'>,
  /** False when the message was delivered or withdrawn already, or isn't known. */
  withdrawMessage: {} as Command<
    WithdrawMessage,
    boolean,
    Driven | Unredacted | 'conversation-busy'
  >,
  /** False when the consent isn't in force. */
  revokeConsent: {} as Command<RevokeConsent, boolean, Owned>,
  /** The run that goes on, when this was the last pending output; else null. */
  supplyOutput: {} as Command<SupplyOutput, RunRef | null, Owned | 'ambiguous-call'>,
  /**
   * Whether this worker still owns the conversation under this epoch, as the store says now. Asked
   * before a call that may not run twice is started late: somebody else may have taken over meanwhile.
   */
  confirmLease: {} as Command<LeaseCheck, boolean, Stored>,
  /** Notes with a call of a run that is driven here which run works for it, before that begins. */
  announceChild: {} as Command<
    AnnounceChild,
    void,
    Stored | Unredacted | 'ownership-lost' | 'invalid-input'
  >,

  /** A call that the function of a composite tool makes: answers when it has ended. */
  callTool: {} as Command<NestedCall, NestedAnswer>,
  /** Keeps what steps of such a function came to. */
  keepOutcomes: {} as Command<KeepOutcomes, KeepAnswer>,

  /**
   * Publishes the conversation to the page from now on: first a checkpoint (`joined`), on the event port,
   * then what follows it. Asked again, it publishes a new checkpoint.
   */
  join: { survives: true } as Command<ConversationScope, void, Stored>,
  /** Publishes it no more, but for runs that this worker drives. */
  leave: {} as Command<ConversationScope, void>,
  /** Messages of the head's path before one of them. Null when it isn't on the path any more. */
  olderMessages: { survives: true } as Command<OlderMessagesQuery, OlderMessages | null>,
  /** Goes to the branch that was used last under a message. False when the message isn't there. */
  switchBranch: {} as Command<ConversationScope & { readonly messageId: string }, boolean, Owned>,
  /**
   * Has the page undo what a call did. True once that is stored; false when there is no such call, or nothing to undo.
   * `call-failed` when it failed, or can't be known.
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
   * Has a model title a conversation that nobody has titled. Null: it has a title, or nothing to make one of, or the
   * model made none. Rejects with `aborted` when a run of the agent begins.
   */
  titleConversation: {} as Command<ConversationScope, MadeTitle | null, ErrorCode>,
  /** Makes another conversation of its beginning. False when there is no such conversation, or message. */
  forkConversation: {} as Command<
    ForkConversation,
    boolean,
    Exclude<Owned, 'conversation-not-found'> | 'calls-pending'
  >,
  /** With those that its calls started. */
  deleteConversation: {} as Command<ConversationScope, boolean, Stored>,
  /** Deletes all conversations, and says how many there were. */
  wipeConversations: {} as Command<AgentScope, number, Stored>,
  /** Deletes what is kept no longer, and says what that was. Nothing while another tab does the same. */
  retainConversations: {} as Command<
    AgentScope & { readonly retention: Retention },
    DroppedConversation[],
    Stored
  >,
  /** Null: there is no such conversation. */
  exportRows: { survives: true } as Command<RowsQuery, RowsFound | null, Stored>,
  /** False: there is a conversation of that id. When it rejects, nothing of the conversation is kept. */
  importRows: {} as Command<ImportRows, boolean, Driven | Unredacted | 'ownership-lost'>,
  /** Forgets what was imported of a conversation that isn't whole. */
  dropImport: {} as Command<ConversationScope & { readonly importId: string }, void, Stored>,
  /** Forgets the messages, keeps the conversation. Refused while a run is open. */
  clearHistory: {} as Command<ConversationScope, boolean, Owned>,

  /** A model call that fails is an answer, too: it has used tokens. */
  extract: {} as Command<ExtractRequest, Extraction, ErrorCode>,
  /** Aborts the model call of an extraction. */
  stopExtracting: {} as Command<ExtractRef, void>,
  /** Loads what a run needs before one is asked for: the store, and the model of an engine. */
  prepare: { survives: true } as Command<Preparation, void, ErrorCode>,
  /** Gives up what `prepare` has not finished for this agent; it rejects with `aborted`. */
  stopPreparing: {} as Command<AgentRef, void>,

  /** The agent's tools changed: calls that wait for a tool look again. */
  toolsChanged: {} as Command<AgentRef, void>,
  /** The agent is disposed: its runs stop without an end and stay resumable. */
  releaseAgent: {} as Command<AgentRef, void>,
}

export type WorkerCalls = typeof WORKER_CALLS

/** The worker, as its page calls it. */
export type WorkerApi = Calls<WorkerCalls>
