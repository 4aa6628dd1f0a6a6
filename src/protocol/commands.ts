import type { ConversationRecord } from './conversation.ts'
import type { ErrorData } from './error.ts'
import type { ConsentScope, InterruptionVerdict, Row, UserContent } from './fact.ts'
import type { JsonObject, JsonSchema, JsonValue } from './json.ts'
import type { RunUsage, ToolOutput, UserMessage } from './message.ts'
import type { ModelConfigData } from './model.ts'
import type { RunLimits } from './run.ts'
import type { AgentScope, ConversationScope } from './scope.ts'

/** The model to load before the first run. */
export interface Preparation extends AgentScope {
  readonly model: ModelConfigData
  /** The page has an engine for the model's provider. */
  readonly engine: boolean
}

/** Asks whether a conversation still has this epoch, so that its driver is unchanged. */
export interface LeaseCheck extends ConversationScope {
  readonly epoch: number
}

export interface OlderMessagesQuery extends ConversationScope {
  /** Id of the message after the requested ones. */
  readonly before: string
  readonly count: number
}

/** Start of a new branch. */
export type BranchPoint =
  /** The run's message replaces a user message, on a branch beside it. */
  | { readonly type: 'edit'; readonly messageId: string }
  /** The run answers a user message again: this message, or the one that it answers. Default: the newest. */
  | { readonly type: 'regenerate'; readonly messageId?: string | undefined }

export interface StartRun extends ConversationScope {
  readonly runId: string
  /** Null: the run continues from the history (supplied outputs), or answers again. */
  readonly message: UserContent | null
  /** Default: after the newest message. */
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
  readonly at?: string
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

/** A part of an imported conversation. If the first part is refused, so are the others. */
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
  /** This part is the last. */
  readonly isLast: boolean
}

export interface ResumeRun extends AgentScope {
  /** Default: the newest conversation with an open run. */
  readonly conversationId?: string
  /**
   * The run that the page still has a handle for. If it has ended, its end is published again. If another tab drives
   * it, it ends on this page as taken over.
   */
  readonly runId?: string
  /** How to handle calls that may or may not have happened. Default `'tell-model'`. */
  readonly interrupted: 'tell-model' | 'ask'
  /** Time to wait for the tool of an unfinished call, in milliseconds. */
  readonly waitForToolsMs: number
  /**
   * False: the previous page was left normally, or this page resumes its own run. Default true: the page may have
   * crashed.
   */
  readonly afterCrash?: boolean
  /**
   * Resumes a paused run, or starts a new run after one that failed or reached a limit.
   * These are the agent's own limits. They only cap a run that continues an imported one; other runs keep the limits of
   * the run before.
   */
  readonly goOn?: RunLimits
  /** Allows resuming a child run. Only the agent that started it may do so. */
  readonly asChild?: boolean
  /** Also resumes a run whose newest claim is another device's. Default false. */
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
   * `now`: interrupts the current step. `after-run`: starts the next run. `soonest`: the next step if there is one,
   * else the next run.
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
      }
    | { readonly type: 'deny'; readonly reason?: string | undefined }
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
        /** Usage of model calls that produced the output, without the child run's own. */
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
  /** Id of the run that continues after the last output. */
  readonly nextRunId: string
  /**
   * The agent's own limits. They apply to the next run if the call came with a history; otherwise see `ResumeRun.goOn`.
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
