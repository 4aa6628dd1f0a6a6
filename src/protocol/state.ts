import type {
  CallPath,
  DecidedTool,
  FactOf,
  InterruptionVerdict,
  Place,
  Rememberable,
  RunEnd,
  UserContent,
} from './fact.ts'
import type { JsonValue } from './json.ts'
import type {
  Amendment,
  CallError,
  FinishReason,
  Message,
  MessageKind,
  RunUsage,
  ToolOutput,
} from './message.ts'
import type { PauseReason, Question, RunLimits } from './run.ts'
import type { ApprovalReason, Taint } from './taint.ts'
import type { ToolCallStatus, UndoStatus } from './tool.ts'

/** Why a call is suspended: its outcome comes from outside, or its function must run again. */
export type Suspended =
  | { readonly token: string; readonly until?: number }
  /** How many ended steps and nested calls the function had seen. */
  | { readonly seen: number }

/** A call, folded from its facts. */
export interface CallState {
  readonly path: CallPath
  readonly toolCallId: string
  readonly toolName: string
  readonly title: string | null
  /** Source of a remote tool. Undefined for the app's own tools. */
  readonly source?: string
  /** The tool is annotated as read-only. */
  readonly readOnly?: true
  /** The executed input: the model's, or as changed by a hook or a person. */
  readonly input: JsonValue
  readonly modelInput: JsonValue
  /** A person changed the input when approving. */
  readonly edited: boolean
  /** Text for the model, with the call's result. Comes from answers to this call and to its nested calls. */
  readonly note?: string
  /** Why the call can't run, if the model's output could not be read. Null otherwise. */
  readonly error: CallError | null
  readonly known: boolean
  readonly parallel: boolean
  /** The run completes once this call succeeds. */
  readonly finishes: boolean
  readonly rescued: boolean
  /** The call may be a quotation of somebody else's text. */
  readonly quoted: boolean
  /** A person should be asked (one-shot mode). */
  readonly asks: boolean
  readonly question: Question | null
  readonly status: ToolCallStatus
  readonly output: ToolOutput | null
  /** Id of the newest execution. */
  readonly executionId: string | null
  /** Number of starts in short succession. A start doesn't count if the call provably did not begin. */
  readonly starts: number
  /** Times of the newest start and of the end, in milliseconds since 1970. 0 before the start or end. */
  readonly startedAt: number
  readonly endedAt: number
  /** How often the page proved that the call had not begun. */
  readonly withdrawals: number
  /** An execution before the newest may have taken effect. */
  readonly mayHaveBegun: boolean
  /**
   * Target in the newest approval request. Undefined if there was no request or the tool doesn't describe its calls.
   */
  readonly about?: FactOf<'approval-requested'>['about']
  /** Why approval was last requested. Undefined if the app's own rules required it, or there was no request. */
  readonly because?: ApprovalReason
  /** Source of the untrusted content that the output will hold (one-shot mode). */
  readonly untrusted?: string
  /** Seq of the newest approval request. Undefined if there was none. */
  readonly askedAt?: number
  readonly rememberable?: Rememberable
  /** Null until the call is decided. */
  readonly decidedBy: DecidedTool | null
  readonly suspended: Suspended | null
  /** Outcomes of steps within the call, by key. */
  readonly outcomes: { readonly [key: string]: JsonValue }
  /** Keys of steps and ids of nested calls, in the order in which they ended. */
  readonly ended: readonly string[]
  readonly child: {
    readonly conversationId: string
    readonly runId: string
    /** Usage of the child run is complete. */
    readonly isCounted?: true
  } | null
  readonly resolvedAs: InterruptionVerdict | null
  /** State of the call's undo. Undefined if no undo was requested. */
  readonly undo?: UndoStatus
}

/** Result of a second model call about an answer: remarks on the answer, or a replacement. */
export type Reflection =
  | { readonly mode: 'annotate'; readonly text: string }
  /** `original`: the model's first answer. */
  | { readonly mode: 'replace'; readonly original: string }

/** A message in the tree of messages. */
export interface MessageNode {
  readonly id: string
  /** Id of the previous message. Null for a first message. */
  readonly parentId: string | null
  /** Seq of the row that added the message. */
  readonly seq: number
  readonly runId: string | null
  readonly step: number | null
  readonly kind: MessageKind
  /** Milliseconds since 1970. */
  readonly at: number
  /** The message as models get it. */
  readonly message: Message
  /** How the app's `beforeModel` changed a user message. */
  readonly sent?: Amendment
  /** Result of the reflection on an answer. */
  readonly reflection?: Reflection
  /** The app's `verify` rejected this answer, and the model answered again. */
  readonly rejected?: true
  /** Calls of the message. Nested calls follow the call around them. */
  readonly calls: readonly CallState[]
}

/** How the model's output of a step ended. */
export type StepOutput = Pick<
  FactOf<'model-output'>,
  'step' | 'usage' | 'finishReason' | 'rawFinishReason'
>

/** A child run, as known from the parent's rows. */
export interface ChildState {
  readonly path: CallPath
  readonly conversationId: string
  readonly runId: string
  readonly steps: number
  readonly usage: RunUsage
  /** Active time in milliseconds. */
  readonly activeMs: number
  /** The counts are final. */
  readonly isCounted: boolean
}

/** The newest run of a conversation, ended or not. */
export interface RunState {
  readonly runId: string
  readonly limits: RunLimits
  readonly startedAt: number
  /** Model outputs so far. */
  readonly steps: number
  /** How often the current step was resumed in short succession. */
  readonly stepResumes: number
  /** Time of the current step's newest start. */
  readonly stepStartedAt: number
  /** A step has started and has no output yet. */
  readonly stepOpen: boolean
  /** Failed attempts at the current step. */
  readonly failedAttempts: number
  /** The newest output, until the next step begins or the run ends. */
  readonly output: StepOutput | null
  /** Calls of the newest output. */
  readonly calls: readonly CallState[]
  /** The error in the newest output's unreadable call (ACTION mode). */
  readonly feedback: CallError | null
  readonly finishReason: FinishReason
  readonly usage: RunUsage
  /** Current and past child runs. Undefined if there were none. */
  readonly children?: readonly ChildState[]
  /** A child run: works for the call that began this conversation. */
  readonly forCall?: true
  /**
   * Problem of an unreadable row that was written while the run was open. The run must end, because its actions are
   * unknown.
   */
  readonly damage?: string
  /** Why the run is paused until somebody continues it. Null otherwise, even while a commit waits for the storage. */
  readonly paused: PauseReason | null
  readonly end: RunEnd | null
  readonly endedAt: number
  /** Id of the run that starts in the append that ends this run. */
  readonly next?: string
  /** The previous run, if it ended in the append that started this run. */
  readonly follows?: { readonly runId: string; readonly end: RunEnd }
}

type ContextType =
  | 'results-cleared'
  | 'compacted'
  | 'skill-activated'
  | 'skill-dropped'
  | 'plan-changed'
  | 'context-tainted'
  | 'descriptions-changed'
  | 'memory-retrieved'

/** A fact that changes the model's context. */
export type ContextRow =
  | (FactOf<Exclude<ContextType, 'skill-activated'>> & Pick<Place, 'seq' | 'at'>)
  | (FactOf<'skill-activated'> & Pick<Place, 'seq' | 'at' | 'runId'>)

/** A consent that is in effect. */
export type Consent = Omit<FactOf<'consent-given'>, 'type'> & Pick<Place, 'at' | 'runId'>

/** The last message of a branch. */
export interface Leaf {
  readonly id: string
  /** Seq of the row that last extended or selected this branch. */
  readonly usedAt: number
}

/**
 * Children of a message, oldest first. Exists only for messages with several children, and for former heads with at
 * least one. `parentId` is null for the first messages since the history was cleared.
 */
export interface Fork {
  readonly parentId: string | null
  readonly children: readonly string[]
}

/**
 * A conversation, folded from its rows. Immutable plain data: parts that a fact doesn't affect keep their identity. A
 * windowed state comes from a checkpoint: it may lack the beginning of the path and other branches. Later rows fold
 * into it as into a complete state.
 */
export interface ConversationState {
  readonly conversationId: string
  /** Seq of the newest row; 0 before the first. */
  readonly seq: number
  /** How often the history was cleared. */
  readonly era: number
  readonly title: string | null
  /** Messages from the first since the history was cleared to the head. A windowed state has only the newest. */
  readonly path: readonly MessageNode[]
  /** Number of earlier messages on the path. */
  readonly older: number
  /** Messages since the history was cleared that aren't on the path, in row order. */
  readonly others: readonly MessageNode[]
  /** Messages at which branches divide. */
  readonly forks: readonly Fork[]
  readonly leaves: readonly Leaf[]
  readonly run: RunState | null
  /** Messages that a person sent and that aren't delivered yet. */
  readonly queue: readonly UserContent[]
  /** Queued messages that the newest run's end returned undelivered. */
  readonly returned: readonly UserContent[]
  readonly context: readonly ContextRow[]
  /** Only in a windowed state: the taint of the complete state at `seq`. */
  readonly taintBefore?: { readonly seq: number; readonly taint: readonly Taint[] }
  readonly consents: readonly Consent[]
  /**
   * A fact changed messages that this windowed state lacks. The view may be incomplete until a new checkpoint replaces
   * the state.
   */
  readonly isStale: boolean
  /** Made from a checkpoint: may lack messages of other branches. */
  readonly isWindow?: true
  /** Problems of rows that could not be read, oldest first. Undefined if there were none. */
  readonly setAside?: readonly string[]
}

/** Messages of the path before a window. */
export interface OlderMessages {
  readonly nodes: readonly MessageNode[]
  /** Number of still earlier messages. */
  readonly older: number
  readonly forks: readonly Fork[]
}
