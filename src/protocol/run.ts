import type { ErrorData } from './error.ts'
import type { FieldsSchema } from './fields.ts'
import type { JsonValue } from './json.ts'
import type { CallError, FinishReason, RunUsage, ToolOutput } from './message.ts'
import type { ApprovalReason } from './taint.ts'
import type { ToolCallStatus } from './tool.ts'

/** A tool call in a run's result. */
export interface RunToolCall {
  readonly toolCallId: string
  readonly toolName: string
  /** The executed input: the model's, or as edited by a person. Undefined if the call could not be read. */
  readonly input?: JsonValue
  /** Undefined while the call is pending. */
  readonly output?: ToolOutput
  readonly error?: CallError
  readonly status: ToolCallStatus
  /** Set for a nested call, as in `PendingCall`. */
  readonly path?: readonly string[]
}

/** Question of a call to a person. */
export interface Question {
  readonly question: string
  readonly options?: readonly string[]
  /** A form instead of a text answer. */
  readonly fields?: FieldsSchema
  /**
   * Names of fields that seem to ask for a secret, such as a password or a card number. Warn the person when you show
   * these fields: a model should not get secrets. Other fields may ask for secrets, too.
   */
  readonly sensitive?: readonly string[]
}

/** Target of a call, from its tool's `describe`. */
export interface CallAbout {
  /** Text for the person, in one line: `button "Delete account" (in form "Profile")`. May be untrusted. */
  readonly text: string
  /** The tool's own data. `execute` gets it as `context.about`. */
  readonly data?: JsonValue
  /**
   * The target is on the page that requested approval, where the person must see it. Only that tab can approve the
   * call: in other tabs, `approve` rejects with `other-tab`.
   */
  readonly onPage?: true
}

/** A call that a paused run waits for. */
export interface PendingCall {
  readonly toolCallId: string
  readonly toolName: string
  /** The tool's display title. */
  readonly title?: string
  /** Source of a remote tool: the name or origin of a server or page. Undefined for the app's own tools. */
  readonly source?: string
  readonly input: JsonValue
  /** Target of a call that needs approval, if the tool describes it. */
  readonly about?: CallAbout
  /** Why approval is required. Undefined if the app's own rules require it. */
  readonly because?: ApprovalReason
  /**
   * Set if an approval can also cover later calls of the tool (`approve(call, { remember })`). With a `key`, it covers
   * only calls with the same key.
   */
  readonly rememberable?: { readonly key?: string }
  readonly kind: 'approval' | 'answer' | 'output' | 'decision' | 'settlement'
  /** The question of `ask_user`. */
  readonly question?: Question
  /**
   * Only in a one-shot run, whose calls the page runs: ask a person before you run the call. The call may be a
   * quotation, the context is tainted (`whileTainted`), or the input's secrets could not be determined.
   */
  readonly asks?: boolean
  /** Token that a long-running tool returned with `pending()`. */
  readonly resumeToken?: string
  /** Deadline for the outcome, in milliseconds since 1970. Undefined if there is none. */
  readonly until?: number
  /** Conversation of the sub-agent that waits. Answer the call there. */
  readonly conversationId?: string
  /** Ids of the calls around a nested call, outermost first, then its own id. Undefined for other calls. */
  readonly path?: readonly string[]
}

/** Why a run is paused although no answer is pending. `continue()` resumes it. */
export type PauseReason =
  | 'crash-loop'
  | 'storage-full'
  | 'storage-blocked'
  | 'storage-newer'
  | 'storage-offline'
  | 'storage-failed'
  /** A file of the worker could not be loaded. The worker keeps trying; reloading the page loads the newest files. */
  | 'part-unavailable'

interface RunResultBase {
  readonly runId: string
  readonly conversationId: string
  /** Text of the run's last message. Partial if the run was cut short. */
  readonly text: string
  /** Remarks of the agent's `reflect` about the answer, in the mode `annotate`. */
  readonly reflection?: string
  readonly toolCalls: readonly RunToolCall[]
  /** Number of model calls that gave an output. */
  readonly steps: number
  /** Usage of the run's own model calls. */
  readonly usage: RunUsage
  /** Usage including all sub-agents. Undefined if no sub-agent was called. */
  readonly totalUsage?: RunUsage
  readonly finishReason: FinishReason
  /** Id of the run that started when this one ended, with messages sent for `after-run`. */
  readonly nextRunId?: string
}

/** Describes how a run ended, or that it waits for the page. */
export type RunOutcome =
  /** `finishReason`: why the answer is incomplete. */
  | { readonly outcome: 'completed'; readonly finishReason?: FinishReason }
  /** The run used up its `maxSteps`. `continue()` starts a new run. */
  | { readonly outcome: 'max-steps' }
  /**
   * The run reached one of its `limits`. Its last message is an answer without tools. `continue()` starts a new run.
   */
  | { readonly outcome: 'limit'; readonly limit: LimitName }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
  /** A one-shot run (`maxSteps: 0`) leaves its calls to the page. Supply their outputs with `supplyOutput()`. */
  | { readonly outcome: 'waiting'; readonly pending: readonly PendingCall[] }

/**
 * Reasons of an `aborted` outcome that ends a run on this page only. The run stays open in the store, or another tab
 * drives it.
 */
export const UNFINISHED_REASONS = { disposed: 'disposed', takenOver: 'taken-over' } as const

/** Returns whether the run ended on this page only, so that others may resume it. */
export function isUnfinished(outcome: RunOutcome): boolean {
  return (
    outcome.outcome === 'aborted' &&
    Object.values<string>(UNFINISHED_REASONS).includes(outcome.reason)
  )
}

/** Reason of an `aborted` outcome: the run's conversation was deleted. */
export const DELETED = 'deleted'

/** Reason of an `aborted` outcome: the run had no end in the imported rows. */
export const IMPORTED = 'imported'

/** Reason of an `aborted` outcome: the child run's parent run has ended. */
export const PARENT_ENDED = 'parent-ended'

/** Result of a run: `run.result` resolves to it and never rejects. */
export type RunResult = RunResultBase & RunOutcome

/**
 * Limits of a run together with its child runs. When a limit is reached, the child runs end, the model gives a last
 * answer without tools, and the run ends as `limit`. Checked before each step.
 */
export interface Limits {
  /**
   * Maximum of steps before the last answer. Default: `maxSteps` (10) limits the run itself. A run and its child runs
   * are limited to 100 steps together, or to `maxSteps` if that is more.
   */
  readonly steps?: number
  /** Total of input and output tokens, including cached input and failed attempts. */
  readonly tokens?: number
  /** Cost, by the model's `prices` or its vendor's list prices. Throws `invalid-config` if neither is known. */
  readonly costUSD?: number
  /** Minutes of active time. Time in which the run waits for a person, or no page has it open, doesn't count. */
  readonly minutes?: number
}

/** Names of the limits: `'steps'`, `'tokens'`, `'costUSD'` and `'minutes'`. */
export type LimitName = keyof Limits

/** Limits of a run, fixed when it starts. */
export interface RunLimits extends Limits {
  /** Maximum of steps. 0: one step, whose calls the page runs. -1: no limit. Default 10. */
  readonly maxSteps: number
  /** Maximum of consecutive steps with an invalid call. Default 3. */
  readonly retries: number
  /** Maximum of sub-agent calls. Default 20. */
  readonly maxChildren?: number
}

/** Default maximum of child runs. More than this suggests that the model is looping. */
export const MOST_CHILDREN = 20
