import type {
  CallPath,
  DecidedBy,
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
import type { ParkReason, Question, RunLimits } from './run.ts'
import type { AskedBecause, Taint } from './taint.ts'
import type { ToolCallStatus, UndoStatus } from './tool.ts'

/** Why a call is suspended: its outcome comes from outside, or its function is to be run again. */
export type Suspended =
  | { readonly token: string; readonly until?: number }
  /** How much of what ended within the call its function knew. */
  | { readonly seen: number }

/** A call, by the facts about it. */
export interface CallState {
  readonly path: CallPath
  readonly toolCallId: string
  readonly toolName: string
  readonly title: string | null
  /** Whose the tool is, unless it is of the app's own code. */
  readonly source?: string
  /** The tool changes nothing, by its own word. */
  readonly readOnly?: true
  /** What runs: the model's input, as a hook or a person may have changed it. */
  readonly input: JsonValue
  readonly modelInput: JsonValue
  /** A person changed the input when approving. */
  readonly edited: boolean
  /** The call can't run; set when the model's words could not be read. */
  readonly error: CallError | null
  readonly known: boolean
  readonly parallel: boolean
  /** The run is done once this call succeeded. */
  readonly finishes: boolean
  readonly rescued: boolean
  /** May be somebody else's words. */
  readonly quoted: boolean
  /** One-shot mode: a person should be asked. */
  readonly asks: boolean
  readonly question: Question | null
  readonly status: ToolCallStatus
  readonly output: ToolOutput | null
  /** Of the newest start. */
  readonly executionId: string | null
  /** How often the call was handed to the page soon after the last time, and not proven to have not begun. */
  readonly starts: number
  /** Milliseconds since 1970: of the newest start, 0 before the first; and of the end, 0 before it. */
  readonly startedAt: number
  readonly endedAt: number
  /** How often the page proved that it had not begun. */
  readonly withdrawals: number
  /** An earlier execution than the newest may have had its effect. */
  readonly mayHaveBegun: boolean
  /** What a person was asked about, last. Absent: nobody was, or its tool doesn't say. */
  readonly about?: FactOf<'approval-requested'>['about']
  /** Why a person was asked, last. Absent: by the app's own rules, or nobody was. */
  readonly because?: AskedBecause
  /** One-shot mode: whose words its output will hold. */
  readonly untrusted?: string
  /** Seq of the newest question to a person whether it may run. Absent: none was asked. */
  readonly askedAt?: number
  readonly rememberable?: Rememberable
  /** Null before the call is decided. */
  readonly decidedBy: DecidedBy | null
  readonly suspended: Suspended | null
  /** What steps within the call came to, by key. */
  readonly outcomes: { readonly [key: string]: JsonValue }
  /** Keys of steps and ids of nested calls, in the order in which they came to their ends. */
  readonly ended: readonly string[]
  readonly child: {
    readonly conversationId: string
    readonly runId: string
    /** All that it used is counted. */
    readonly isCounted?: true
  } | null
  readonly resolvedAs: InterruptionVerdict | null
  /** Absent: nobody has undone it. */
  readonly undo?: UndoStatus
}

/** What a second model call made of an answer: remarks beside it, or the better answer that stands in its place. */
export type Reflection =
  | { readonly mode: 'annotate'; readonly text: string }
  /** `original`: what the model had answered. */
  | { readonly mode: 'replace'; readonly original: string }

/** A message in its place among the others. */
export interface MessageNode {
  readonly id: string
  /** The message before it; null: it is a first one. */
  readonly parentId: string | null
  /** Of the row that it came with. */
  readonly seq: number
  readonly runId: string | null
  readonly step: number | null
  readonly kind: MessageKind
  /** Milliseconds since 1970. */
  readonly at: number
  /** As models get it. */
  readonly message: Message
  /** Of one that the app's `beforeModel` was asked about: how it is sent. */
  readonly sent?: Amendment
  /** Of an answer: what a second model call made of it. */
  readonly reflection?: Reflection
  /** Of an answer: the app's `verify` has found it wanting, and the model has answered again. */
  readonly rejected?: true
  /** The calls in it; those nested in others follow the call that they are nested in. */
  readonly calls: readonly CallState[]
}

/** How the model's answer at a step ended. */
export type StepOutput = Pick<
  FactOf<'model-output'>,
  'step' | 'usage' | 'finishReason' | 'rawFinishReason'
>

/** A run that works for a call of another one, as that one's rows know it. */
export interface ChildState {
  readonly path: CallPath
  readonly conversationId: string
  readonly runId: string
  readonly steps: number
  readonly usage: RunUsage
  /** How long it was active. Milliseconds. */
  readonly activeMs: number
  /** This is what it came to in the end. */
  readonly isCounted: boolean
}

/** The newest run of a conversation, ended or not. */
export interface RunState {
  readonly runId: string
  readonly limits: RunLimits
  readonly startedAt: number
  /** Model outputs so far. */
  readonly steps: number
  /** Resumes of the step under way, each soon after it was begun last. */
  readonly stepResumes: number
  /** When the step was begun last. */
  readonly stepStartedAt: number
  /** A step was begun and has no output yet. */
  readonly stepOpen: boolean
  /** Failed attempts at the step under way. */
  readonly failedAttempts: number
  /** The newest output, until the next step begins or the run ends. */
  readonly output: StepOutput | null
  /** Calls of the newest output. */
  readonly calls: readonly CallState[]
  /** ACTION mode: what was unreadable in the newest output. */
  readonly feedback: CallError | null
  readonly finishReason: FinishReason
  readonly usage: RunUsage
  /** Those that work for its calls, or did. Absent: none. */
  readonly children?: readonly ChildState[]
  /** It works for the call that began the conversation. */
  readonly forCall?: true
  /** Why one of its rows was set aside while it was open: it is ended, since nobody knows what it did. */
  readonly damage?: string
  /** It rests until somebody lets it go on. */
  readonly parked: ParkReason | null
  readonly end: RunEnd | null
  readonly endedAt: number
  /** The run that begins with its end, in the same append. */
  readonly next?: string
  /** The run with whose end it began, in the same append. */
  readonly follows?: { readonly runId: string; readonly end: RunEnd }
}

type ContextType =
  | 'results-cleared'
  | 'compacted'
  | 'skill-activated'
  | 'skill-dropped'
  | 'plan-changed'
  | 'untrusted-taken-in'
  | 'descriptions-taken-in'
  | 'memory-retrieved'

/** A fact that changes the model's context. */
export type ContextRow =
  | (FactOf<Exclude<ContextType, 'skill-activated'>> & Pick<Place, 'seq' | 'at'>)
  | (FactOf<'skill-activated'> & Pick<Place, 'seq' | 'at' | 'runId'>)

/** A consent that is in force. */
export type Consent = Omit<FactOf<'consent-given'>, 'type'> & Pick<Place, 'at' | 'runId'>

/** The last message of a branch. */
export interface Leaf {
  readonly id: string
  /** Seq of the row that last made it, or what it grew from, the head. */
  readonly usedAt: number
}

/**
 * The children of a message, oldest first: of each that has several, and of one that was the head with
 * children behind it. `null`: the first messages of the era.
 */
export interface Fork {
  readonly parentId: string | null
  readonly children: readonly string[]
}

/**
 * A conversation: the fold of its rows. Plain data, and never changed; what a fact doesn't concern keeps
 * its identity. A windowed state, made from a checkpoint, lacks the beginning of the path and the other
 * branches, and is folded on like a whole one.
 */
export interface ConversationState {
  readonly conversationId: string
  /** Of the newest row; 0 before the first. */
  readonly seq: number
  /** How often the history was cleared. */
  readonly era: number
  readonly title: string | null
  /** The messages from the first one of the era to the head. Of a windowed state, the newest of them. */
  readonly path: readonly MessageNode[]
  /** How many messages of the path come before these. */
  readonly older: number
  /** Messages of the era on other branches, in the order of their rows. */
  readonly others: readonly MessageNode[]
  /** Where branches part. */
  readonly forks: readonly Fork[]
  readonly leaves: readonly Leaf[]
  readonly run: RunState | null
  /** Written by the person, and not yet part of the conversation. */
  readonly queue: readonly UserContent[]
  /** What the newest run's end found queued, and no run took. */
  readonly returned: readonly UserContent[]
  readonly context: readonly ContextRow[]
  /** Of a windowed state, what the whole one was tainted by when it had `seq` rows. */
  readonly taintBefore?: { readonly seq: number; readonly taint: readonly Taint[] }
  readonly consents: readonly Consent[]
  /**
   * A fact concerned messages that a windowed state doesn't have: it is to be replaced by a new
   * checkpoint, and what is shown until then may lack them.
   */
  readonly isStale: boolean
  /** Made from a checkpoint: it may lack messages of other branches. */
  readonly isWindow?: true
  /** Rows that could not be read, and why, oldest first. Absent: none. */
  readonly setAside?: readonly string[]
}

/** Messages of the path, of those before a window. */
export interface OlderMessages {
  readonly nodes: readonly MessageNode[]
  /** How many come before these. */
  readonly older: number
  readonly forks: readonly Fork[]
}
