import type { Calls, CallToWorker } from './call.ts'
import type { KeepAnswer, KeepOutcomes, NestedAnswer, NestedCall } from './composite.ts'
import type {
  AgentRef,
  AgentScope,
  ConversationRecord,
  ConversationScope,
  DroppedConversation,
  Retention,
  RunRef,
  StoredConversation,
} from './conversation.ts'
import type { ErrorCode, ErrorData } from './error.ts'
import type { OlderMessages } from './state.ts'
import type { ConsentScope, InterruptionVerdict, Row, UserContent } from './fact.ts'
import type { JsonObject, JsonSchema, JsonValue } from './json.ts'
import type { RunUsage, ToolOutput, UserMessage } from './message.ts'
import type { ModelConfigData } from './model.ts'
import type { RunLimits } from './run.ts'

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

/** Errors of changing a conversation. Besides the above, another worker owns the conversation, or it is gone. */
type Owned = Driven | Unredacted | 'conversation-busy' | 'conversation-not-found' | 'ownership-lost'

/**
 * All calls from the page to the worker (Comlink over the worker itself). The worker handles commands of one page in
 * the order of sending. A run's outcome is its last event, never the result of a command. Each command is a method of
 * the same name, of `PageConnection` or one of `Host.handlers` (`worker/host.ts`).
 */
export const WORKER_CALLS = {
  /** Must be the first call. */
  connect: {} as CallToWorker<PageHello, WorkerHello, 'protocol-mismatch'>,
  /** Answers as soon as the worker's event loop is free. */
  ping: {} as CallToWorker<void, void>,
  /**
   * Holds a Web Lock of this name, which becomes free when the worker dies. Answers once the lock is held; false if Web
   * Locks are unsupported, so that only the heartbeat detects the worker's death.
   */
  holdLock: {} as CallToWorker<LockRef, boolean>,

  /** Accepts the run and returns at once. A refusal is the run's `failed` outcome. */
  startRun: {} as CallToWorker<StartRun, void>,
  /** Resumes an open run. Null if no run is open. If this worker already drives the run, only returns its ids. */
  resumeRun: { survives: true } as CallToWorker<ResumeRun, RunRef | null, Driven>,
  /**
   * Takes over a run from another tab, so that this worker drives it. Null if no run is open, or the other tab refuses.
   */
  takeOver: { survives: true } as CallToWorker<
    ResumeRun & ConversationScope,
    RunRef | null,
    Driven
  >,
  /**
   * Ends a run, even if it is paused or another tab drives it. True once this end is stored, or the run will not begin.
   * False if the run ended in another way.
   */
  abortRun: { survives: true } as CallToWorker<AbortRun, boolean, Driven | 'conversation-busy'>,
  /** Answers a call. False if the call is unknown, or already answered or settled. */
  answerCall: {} as CallToWorker<
    CallAnswer,
    boolean,
    Driven | Unredacted | 'conversation-busy' | 'invalid-input' | 'ambiguous-call'
  >,
  /** Sends a message to a run. False if the run has ended: the message doesn't join the conversation. */
  sendMessage: {} as CallToWorker<SendMessage, boolean, Driven | Unredacted | 'conversation-busy'>,
  /** Withdraws a message. False if the message is unknown, or already delivered or withdrawn. */
  withdrawMessage: {} as CallToWorker<
    WithdrawMessage,
    boolean,
    Driven | Unredacted | 'conversation-busy'
  >,
  /** Revokes a consent. False if the consent isn't in effect. */
  revokeConsent: {} as CallToWorker<RevokeConsent, boolean, Owned>,
  /** Supplies a call's output. Returns the run that continues after the last pending output, otherwise null. */
  supplyOutput: {} as CallToWorker<SupplyOutput, RunRef | null, Owned | 'ambiguous-call'>,
  /**
   * Returns whether this worker still owns the conversation under this epoch, according to the store. The page asks
   * this before a late start of a non-repeatable call, because another owner may have taken over.
   */
  confirmLease: {} as CallToWorker<LeaseCheck, boolean, Stored>,
  /**
   * Stores the ids of a child run with the call that starts it, before the run begins. This worker must drive the
   * call's run.
   */
  announceChild: {} as CallToWorker<
    AnnounceChild,
    void,
    Stored | Unredacted | 'ownership-lost' | 'invalid-input'
  >,

  /** Makes a nested call of a composite tool. Answers when the call has ended. */
  callTool: {} as CallToWorker<NestedCall, NestedAnswer>,
  /** Stores outcomes of a composite tool's steps. */
  keepOutcomes: {} as CallToWorker<KeepOutcomes, KeepAnswer>,

  /**
   * Starts publishing the conversation on the page's event port: first a checkpoint (`joined`), then all later rows and
   * deltas. A repeated call publishes a new checkpoint.
   */
  join: { survives: true } as CallToWorker<ConversationScope, void, Stored>,
  /** Stops publishing the conversation, except for runs that this worker drives. */
  leave: {} as CallToWorker<ConversationScope, void>,
  /** Returns earlier messages of the head's path. Null if the given message is no longer on the path. */
  olderMessages: { survives: true } as CallToWorker<OlderMessagesQuery, OlderMessages | null>,
  /** Selects the most recently used branch under a message. False if the message doesn't exist. */
  switchBranch: {} as CallToWorker<
    ConversationScope & { readonly messageId: string },
    boolean,
    Owned
  >,
  /**
   * Undoes a call on the page. True once the undo is stored. False if the call doesn't exist or can't be undone.
   * Rejects with `call-failed` if the undo failed or its outcome is unknown.
   */
  undoCall: {} as CallToWorker<
    ConversationScope & { readonly toolCallId: string },
    boolean,
    Owned | 'call-failed'
  >,

  listConversations: { survives: true } as CallToWorker<
    AgentScope & { readonly unfinished?: boolean; readonly children?: boolean },
    ConversationRecord[],
    Stored
  >,
  getConversation: { survives: true } as CallToWorker<
    ConversationScope,
    StoredConversation | null,
    Stored
  >,
  renameConversation: {} as CallToWorker<
    ConversationScope & { readonly title: string },
    boolean,
    Stored | Unredacted | 'invalid-input'
  >,
  /**
   * Asks a model for a title of an untitled conversation. Null if the conversation has a title or is empty, or the
   * model gave none. Rejects with `aborted` when a run of the agent begins.
   */
  titleConversation: {} as CallToWorker<ConversationScope, MadeTitle | null, ErrorCode>,
  /** Copies the beginning of a conversation into a new one. False if the conversation or message doesn't exist. */
  forkConversation: {} as CallToWorker<
    ForkConversation,
    boolean,
    Exclude<Owned, 'conversation-not-found'> | 'calls-pending'
  >,
  /** Deletes a conversation and its child conversations. */
  deleteConversation: {} as CallToWorker<ConversationScope, boolean, Stored>,
  /** Deletes all conversations and returns their number. */
  wipeConversations: {} as CallToWorker<AgentScope, number, Stored>,
  /**
   * Deletes conversations beyond the retention limits and returns them. Does nothing while another tab deletes some.
   */
  retainConversations: {} as CallToWorker<
    AgentScope & { readonly retention: Retention },
    DroppedConversation[],
    Stored
  >,
  /** Returns rows for an export. Null if the conversation doesn't exist. */
  exportRows: { survives: true } as CallToWorker<RowsQuery, RowsFound | null, Stored>,
  /**
   * Imports rows. False if a conversation with this id exists. If it rejects, nothing of the conversation is stored.
   */
  importRows: {} as CallToWorker<ImportRows, boolean, Driven | Unredacted | 'ownership-lost'>,
  /** Deletes the rows of an incomplete import. */
  dropImport: {} as CallToWorker<ConversationScope & { readonly importId: string }, void, Stored>,
  /** Clears the messages but keeps the conversation. Refused while a run is open. */
  clearHistory: {} as CallToWorker<ConversationScope, boolean, Owned>,

  /** Makes one model call for data. If the model call fails, still resolves, in order to report the used tokens. */
  extract: {} as CallToWorker<ExtractRequest, Extraction, ErrorCode>,
  /** Aborts the model call of an extraction. */
  stopExtracting: {} as CallToWorker<ExtractRef, void>,
  /** Loads in advance what a run needs: the store, and an engine's model. */
  prepare: { survives: true } as CallToWorker<Preparation, void, ErrorCode>,
  /** Cancels an unfinished `prepare` of this agent, which rejects with `aborted`. */
  stopPreparing: {} as CallToWorker<AgentRef, void>,

  /** Reports changed tools. Calls that wait for a tool look for it again. */
  toolsChanged: {} as CallToWorker<AgentRef, void>,
  /** Reports a disposed agent. Its runs stop without a stored end, so they can be resumed. */
  releaseAgent: {} as CallToWorker<AgentRef, void>,
}

export type WorkerCalls = typeof WORKER_CALLS

/** The worker's calls, as its page sees them. */
export type WorkerApi = Calls<WorkerCalls>

/** The model to load before the first run. */
export interface Preparation extends AgentScope {
  readonly model: ModelConfigData
  /** The page has an engine for the model's provider. */
  readonly hasEngine: boolean
}

/** Asks whether a conversation still has this epoch, and so the same driver. */
export interface LeaseCheck extends ConversationScope {
  readonly epoch: number
}

interface OlderMessagesQuery extends ConversationScope {
  /** Id of the message after the requested ones. */
  readonly before: string
  readonly count: number
}

/** Start of a new branch. */
export type BranchPoint =
  /** The run's message replaces a user message, on a new branch; the old branch stays. */
  | { readonly type: 'edit'; readonly messageId: string }
  /** The run answers a user message again. `messageId`: that message, or an answer to it. Default: the newest. */
  | { readonly type: 'regenerate'; readonly messageId?: string | undefined }

export interface StartRun extends ConversationScope {
  readonly runId: string
  /** Null if the run continues with supplied outputs, or answers again. */
  readonly message: UserContent | null
  /** Place of the message in the conversation. Default: after the newest message. */
  readonly branch?: BranchPoint | undefined
  /**
   * Earlier messages from elsewhere, for an empty conversation. The page parses them, the worker validates the result.
   */
  readonly history?: unknown
  readonly limits: RunLimits
  readonly ifBusy: 'refuse' | 'queue' | 'replace'
  /** The call that the new run works for, if this command starts a child conversation. */
  readonly parent?: ConversationRecord['parent'] | undefined
}

/** Announces a child run in a conversation of its own, before it starts. */
export interface AnnounceChild extends ConversationScope {
  /** Run of the call. */
  readonly runId: string
  readonly toolCallId: string
  readonly childConversationId: string
  readonly childRunId: string
}

export interface ForkConversation extends ConversationScope {
  /** Id of the new conversation. */
  readonly forkId: string
  /** Last message of the new conversation. Default: the newest whose calls are done. */
  readonly lastMessageId?: string
}

/** Rows of a conversation for an export. */
export interface RowsQuery extends ConversationScope {
  /** Number of rows to skip. */
  readonly after: number
  readonly count: number
}

/** Rows up to the first unreadable one. */
export interface RowsFound {
  readonly record: ConversationRecord
  readonly rows: readonly Row[]
  readonly fault: string | null
}

/** A part of an imported conversation. If the first part is refused, the others are refused, too. */
export interface ImportRows extends ConversationScope {
  /** Id of this conversation's import. */
  readonly importId: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent?: ConversationRecord['parent']
  /** Number of rows in earlier parts. */
  readonly after: number
  /** Not validated yet. */
  readonly rows: readonly unknown[]
  /** Whether this is the last part. */
  readonly isLast: boolean
}

export interface ResumeRun extends AgentScope {
  /** Default: the newest conversation with an open run. */
  readonly conversationId?: string
  /**
   * The run that the page still has a handle for. If the run has ended, its end is published again. If another tab
   * drives it, the run ends on this page as taken over.
   */
  readonly runId?: string
  /** How to handle calls that may or may not have happened. Default `'tell-model'`. */
  readonly interrupted: 'tell-model' | 'ask'
  /** Time to wait for the tool of an unfinished call, in milliseconds. */
  readonly waitForToolsMs: number
  /**
   * False if the previous page was left normally, or this page resumes its own run. Default true: the page may have
   * crashed. `'loop'`: the run has lost several workers without progress, so an open step pauses.
   */
  readonly afterCrash?: boolean | 'loop'
  /**
   * Resumes a paused run, or starts a new run after one that failed or reached a limit.
   * The value: the agent's own limits. They only cap a run that continues an imported run; other new runs have the
   * previous run's limits.
   */
  readonly continueLimits?: RunLimits
  /** Allows resuming a child run. Only the agent that started it may do so. */
  readonly asChild?: boolean
  /** Also resumes a run that another device claimed last. Default false. */
  readonly takesOver?: boolean
}

export interface AbortRun extends ConversationScope {
  readonly runId: string
  readonly reason: string
  /** Ends the run as failed instead of aborted. */
  readonly error?: ErrorData
}

/** A message that a person sends while a run is open. */
export interface SendMessage extends ConversationScope {
  readonly runId: string
  readonly message: UserContent
  /**
   * `now`: interrupts the current step. `after-run`: starts the next run. `soonest`: joins the next step, or starts the
   * next run if there is none.
   */
  readonly when: 'next-step' | 'now' | 'after-run' | 'soonest'
}

/** Takes back a message that isn't delivered yet. */
export interface WithdrawMessage extends ConversationScope {
  readonly runId: string
  readonly messageId: string
}

/** A person's answer to a pending call. `conversationId` is undefined if only the call's id is known. */
export interface CallAnswer extends AgentScope {
  readonly conversationId?: string | undefined
  readonly toolCallId: string
  readonly answer:
    | {
        readonly type: 'approve'
        readonly input?: JsonValue | undefined
        /** Later calls of the tool run without approval, where that is allowed. */
        readonly remember?: ConsentScope['within'] | undefined
        /** Seq of the answered approval request. Undefined if the page doesn't know it. */
        readonly askedAt?: number | undefined
        /** The approved input. Default: the call's current input. */
        readonly shown?: JsonValue | undefined
        /** Text for the model, with the call's result. */
        readonly note?: string | undefined
      }
    | {
        readonly type: 'deny'
        readonly reason?: string | undefined
        readonly note?: string | undefined
      }
    | { readonly type: 'answer'; readonly text: string }
    | { readonly type: 'accept'; readonly content: JsonObject }
    | { readonly type: 'decline' | 'cancel' }
    | {
        readonly type: 'resolve'
        readonly verdict: InterruptionVerdict
        readonly output?: ToolOutput
      }
    /** Outcome of a long-running call. */
    | {
        readonly type: 'settle'
        readonly output: ToolOutput
        /** Usage of model calls that produced the output, except those of the child run. */
        readonly usage?: RunUsage
        /** The output may hold untrusted content, because the child run has read some. */
        readonly untrusted?: true
      }
}

/** Revokes a person's consent. */
export interface RevokeConsent extends ConversationScope {
  readonly consentId: string
}

export interface SupplyOutput extends AgentScope {
  readonly conversationId?: string | undefined
  readonly toolCallId: string
  readonly output: ToolOutput
  /** Id of the run that starts when no more calls wait for their output. */
  readonly nextRunId: string
  /**
   * The agent's own limits. They apply to the next run if the call came with a history. Otherwise see
   * `ResumeRun.continueLimits`.
   */
  readonly limits: RunLimits
}

/** A title that a model wrote for a conversation's first exchange. */
export interface MadeTitle {
  readonly title: string
  readonly usage: RunUsage
}

export interface ExtractRef {
  readonly extractId: string
}

/** Request for one model call that returns data, outside any conversation. */
export interface ExtractRequest extends AgentScope, ExtractRef {
  readonly schema: JsonSchema
  readonly input: UserMessage['parts']
  /** Rejected outputs of earlier attempts, with the problem of each. */
  readonly corrections: readonly { readonly output: string; readonly problem: string }[]
}

/**
 * Result of an extraction: the model's text and parsed value, or an error. `problem`: why the value doesn't fit the
 * schema.
 */
export type Extraction = { readonly usage: RunUsage } & (
  | { readonly text: string; readonly value: JsonValue; readonly problem: string | null }
  | { readonly error: ErrorData }
)

/** Version of the messages between page and worker. Different versions refuse each other. */
export const PROTOCOL_VERSION = 16

/** The page's first message. The two ports are transferred with it. */
export interface PageHello {
  readonly protocolVersion: number
  /** Id of this page load, without `:`. Execution ids include it, so that a page recognizes its own. */
  readonly pageId: string
  /** Carries `PAGE_CALLS` (Comlink). */
  readonly pagePort: MessagePort
  /** Carries `WorkerNotice`s and `PageNotice`s as plain messages. */
  readonly eventPort: MessagePort
  /** Address of `worker-action.js`, as the page's bundler placed it. Default: beside the worker. */
  readonly part?: string | undefined
}

/** First message from the worker's global scope: its script has loaded and starts. */
export const WORKER_BEGUN = 'offstage-begun'

/** The worker's answer to `PageHello`. */
export interface WorkerHello {
  readonly protocolVersion: number
  /** The worker's monotonic clock at the time of the answer, in milliseconds. */
  readonly clock: number
}

/** A lock that becomes free when its holder dies. */
export interface LockRef {
  readonly name: string
}
