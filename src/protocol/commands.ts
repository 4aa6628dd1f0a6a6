import type { ConversationRecord } from './conversation.ts'
import type { ErrorData } from './error.ts'
import type { ConsentScope, InterruptionVerdict, Row, UserContent } from './fact.ts'
import type { JsonObject, JsonSchema, JsonValue } from './json.ts'
import type { RunUsage, ToolOutput, UserMessage } from './message.ts'
import type { ModelConfigData } from './model.ts'
import type { RunLimits } from './run.ts'
import type { AgentScope, ConversationScope } from './scope.ts'

/** What `prepare` is to load. */
export interface Preparation extends AgentScope {
  readonly model: ModelConfigData
  /** The page provides an engine for the model's provider. */
  readonly engine: boolean
}

/** Whether a conversation is still driven under this epoch. */
export interface LeaseCheck extends ConversationScope {
  readonly epoch: number
}

export interface OlderMessagesQuery extends ConversationScope {
  /** The id of a message. */
  readonly before: string
  readonly count: number
}

/** Where a branch begins. */
export type BranchPoint =
  /** The run's message takes the place of one that a person wrote, beside it. */
  | { readonly type: 'edit'; readonly messageId: string }
  /** The run answers anew what a person wrote: this message, or the one that it answers. Default: the newest. */
  | { readonly type: 'regenerate'; readonly messageId?: string | undefined }

export interface StartRun extends ConversationScope {
  readonly runId: string
  /** Null: the run goes on from the history (supplied outputs), or answers anew. */
  readonly message: UserContent | null
  /** Default: behind the newest message. */
  readonly branch?: BranchPoint | undefined
  /** Earlier messages from elsewhere, for a conversation that has none. The page reads their format, the worker checks the result. */
  readonly history?: unknown
  readonly limits: RunLimits
  readonly ifBusy: 'refuse' | 'queue' | 'replace'
  /** The call that the run is for: of a conversation that this begins. */
  readonly parent?: ConversationRecord['parent'] | undefined
}

/** A run is about to begin for a call, in a conversation of its own. */
export interface AnnounceChild extends ConversationScope {
  /** Of the call. */
  readonly runId: string
  readonly toolCallId: string
  readonly childConversationId: string
  readonly childRunId: string
}

export interface ForkConversation extends ConversationScope {
  /** Of the conversation that is made. */
  readonly forkId: string
  /** The last message of it. Default: the newest whose calls are done. */
  readonly at?: string
}

/** Rows of a conversation that is exported. */
export interface RowsQuery extends ConversationScope {
  /** How many rows come before them. */
  readonly after: number
  readonly count: number
}

/** What there is of them, up to the first that can't be read. */
export interface RowsFound {
  readonly record: ConversationRecord
  readonly rows: readonly Row[]
  readonly fault: string | null
}

/** A part of a conversation that is imported; the first has those that follow refused unless it was taken. */
export interface ImportRows extends ConversationScope {
  /** Of this one conversation's import. */
  readonly importId: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly parent?: ConversationRecord['parent']
  /** How many rows came before these. */
  readonly after: number
  /** Not looked at yet. */
  readonly rows: readonly unknown[]
  /** The conversation ends with them. */
  readonly isLast: boolean
}

export interface ResumeRun extends AgentScope {
  /** Absent: the newest conversation with an open run. */
  readonly conversationId?: string
  /**
   * The run that the page still has a handle of: if it has ended meanwhile, its end is published again, and if
   * it goes on in another tab, it ends on this page as taken over.
   */
  readonly runId?: string
  /** What to do with calls that may or may not have happened. Default `'tell-model'`. */
  readonly interrupted: 'tell-model' | 'ask'
  /** How long to wait for the tool of a call that was under way. Milliseconds. */
  readonly waitForToolsMs: number
  /** False: the page before was left, or this page goes on with its own run. Default true: it may have crashed. */
  readonly afterCrash?: boolean
  /**
   * Lets a parked run go on, or begins another one. The limits are the agent's own: a run that goes on from one which
   * came with an import keeps to them.
   */
  readonly goOn?: RunLimits
  /** By the agent whose run the call of another conversation began: others don't go on with such a conversation. */
  readonly asChild?: boolean
  /** Also of a run that another device has claimed last. Default false. */
  readonly takesOver?: boolean
}

export interface AbortRun extends ConversationScope {
  readonly runId: string
  readonly reason: string
  /** The run ends as failed, not as aborted. */
  readonly error?: ErrorData
}

/** What a person writes while a run is open. */
export interface SendMessage extends ConversationScope {
  readonly runId: string
  readonly message: UserContent
  /** `now`: the step under way is cut short for it. `after-run`: it begins the next run. */
  readonly when: 'next-step' | 'now' | 'after-run' | 'soonest'
}

/** Takes back what wasn't delivered yet. */
export interface WithdrawMessage extends ConversationScope {
  readonly runId: string
  readonly messageId: string
}

/** A person's word on a parked call. `conversationId` is absent when only the call's id is known. */
export interface CallAnswer extends AgentScope {
  readonly conversationId?: string | undefined
  readonly toolCallId: string
  readonly answer:
    | {
        readonly type: 'approve'
        readonly input?: JsonValue | undefined
        /** Later calls of the tool run unasked, where that may be. */
        readonly remember?: ConsentScope['within'] | undefined
        /** Seq of the question that is answered. Absent: the page doesn't know it. */
        readonly askedAt?: number | undefined
        /** The input that is approved. Absent: whatever the call waits with. */
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
    /** What a long-running call came to. */
    | {
        readonly type: 'settle'
        readonly output: ToolOutput
        /** Of model calls that the output took, beside those of the run that worked for the call. */
        readonly usage?: RunUsage
        /** The output holds words of others: the agent that was asked has read some. */
        readonly untrusted?: true
      }
}

/** Ends what a person has consented to. */
export interface RevokeConsent extends ConversationScope {
  readonly consentId: string
}

export interface SupplyOutput extends AgentScope {
  readonly conversationId?: string | undefined
  readonly toolCallId: string
  readonly output: ToolOutput
  /** Of the run that goes on once the last output is in. */
  readonly nextRunId: string
  /** The agent's own, for that run: all there are if the call came with a history, else see `ResumeRun.goOn`. */
  readonly limits: RunLimits
}

/** A title that a model made of a conversation's first exchange. */
export interface MadeTitle {
  readonly title: string
  readonly usage: RunUsage
}

export interface ExtractRef {
  readonly extractId: string
}

/** One model call for data, outside any conversation. */
export interface ExtractRequest extends AgentScope, ExtractRef {
  readonly schema: JsonSchema
  readonly input: UserMessage['parts']
  /** Outputs that were refused before, and why. */
  readonly corrections: readonly { readonly output: string; readonly problem: string }[]
}

/** What came of it: what the model wrote and how it reads (`problem`: it doesn't fit), or an error. */
export type Extraction = { readonly usage: RunUsage } & (
  | { readonly text: string; readonly value: JsonValue; readonly problem: string | null }
  | { readonly error: ErrorData }
)
