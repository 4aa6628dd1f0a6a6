import type { ErrorData } from './error.ts'
import type { FieldsSchema } from './fields.ts'
import type { JsonValue } from './json.ts'
import type { CallError, FinishReason, RunUsage, ToolOutput } from './message.ts'
import type { AskedBecause } from './taint.ts'
import type { ToolCallStatus } from './tool.ts'

/** A call of a run as its result reports it. */
export interface RunToolCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What ran: the model's input, or the edited one. Absent when the call could not be read. */
  readonly input?: JsonValue
  /** Absent while the call is pending. */
  readonly output?: ToolOutput
  readonly error?: CallError
  readonly status: ToolCallStatus
  /** Of a call that another call made, as of a pending call. */
  readonly path?: readonly string[]
}

/** What a call asks a person. */
export interface Question {
  readonly question: string
  readonly options?: readonly string[]
  /** A form in place of a text. */
  readonly fields?: FieldsSchema
  /**
   * Names of fields whose words are those for a secret (a password, a card's number). Whoever shows them says so to the
   * person: secrets are none of a model's business. That a field isn't among them proves nothing.
   */
  readonly sensitive?: readonly string[]
}

/** What a call is about to act on, as its tool's `describe` says. */
export interface CallAbout {
  /** For the person who is asked, in a line: `button "Delete account" (in form "Profile")`. May hold words of others. */
  readonly text: string
  /** The tool's own, which `execute` gets back as `context.about`. */
  readonly data?: JsonValue
  /**
   * It is on the page that was asked, which a person has to see: the call can be approved in that tab only. Elsewhere
   * `approve` rejects with `other-tab`.
   */
  readonly onPage?: true
}

/** What a parked run waits for. */
export interface PendingCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What the tool is called for people. */
  readonly title?: string
  /** Whose the tool is, unless it is of the app's own code: the name or origin of a server, of a page. */
  readonly source?: string
  readonly input: JsonValue
  /** Of an approval: what it is about to act on, if its tool says so. */
  readonly about?: CallAbout
  /** Of an approval: why it is asked, if it wouldn't be otherwise. */
  readonly because?: AskedBecause
  /**
   * Of an approval: it may be for later calls of the tool, too (`approve(call, { remember })`), with a `key` for those
   * that have the same. Absent: a person is asked each time.
   */
  readonly rememberable?: { readonly key?: string }
  readonly kind: 'approval' | 'answer' | 'output' | 'decision' | 'settlement'
  /** What `ask_user` asks. */
  readonly question?: Question
  /**
   * Of a one-shot run, whose calls the page runs: a person should be asked about it, since it may be a quotation, words of
   * others decide (`whileTainted`), or nobody knows what of its input is secret.
   */
  readonly asks?: boolean
  /** What a long-running tool returned with `pending()`. */
  readonly resumeToken?: string
  /** When it is waited for no longer. Milliseconds since 1970. Absent: it waits without end. */
  readonly until?: number
  /** Of what an agent that was called as a tool waits for: its conversation. Answer it there. */
  readonly conversationId?: string
  /** Of a call that another call makes: the calls that it is nested in, from the outermost inwards, and itself. */
  readonly path?: readonly string[]
}

/** Why a run rests though it waits for nobody's answer. `continue()` lets it go on. */
export type ParkReason =
  | 'crash-loop'
  | 'storage-full'
  | 'storage-blocked'
  | 'storage-newer'
  | 'storage-offline'
  | 'storage-failed'

interface RunResultBase {
  readonly runId: string
  readonly conversationId: string
  /** The text of the run's last message; partial when the run was cut short. */
  readonly text: string
  /** What the agent's `reflect` said of it, in the mode `annotate`. */
  readonly reflection?: string
  readonly toolCalls: readonly RunToolCall[]
  /** Model calls that gave an output. */
  readonly steps: number
  /** Of its own model calls. */
  readonly usage: RunUsage
  /** The same with what the agents used that its calls asked. Absent: they asked none. */
  readonly totalUsage?: RunUsage
  readonly finishReason: FinishReason
  /** The run that began with its end, of what was sent to it for `after-run`. */
  readonly nextRunId?: string
}

export type RunOutcome =
  /** `finishReason`: why the answer isn't whole. */
  | { readonly outcome: 'completed'; readonly finishReason?: FinishReason }
  | { readonly outcome: 'max-steps' }
  /** One of its `limits` was reached; its last message is an answer without tools. `continue` goes on. */
  | { readonly outcome: 'limit'; readonly limit: LimitName }
  | { readonly outcome: 'aborted'; readonly reason: string }
  | { readonly outcome: 'failed'; readonly error: ErrorData }
  | { readonly outcome: 'waiting'; readonly pending: readonly PendingCall[] }

/**
 * Reasons of an `aborted` outcome with which a run ends on this page only: it stays open in the store,
 * or somebody else goes on with it.
 */
export const LEFT_OPEN = { disposed: 'disposed', takenOver: 'taken-over' } as const

/** Ended on this page only: somebody else may go on with it. */
export function isLeftOpen(outcome: RunOutcome): boolean {
  return outcome.outcome === 'aborted' && Object.values<string>(LEFT_OPEN).includes(outcome.reason)
}

/** The reason of an `aborted` outcome of a run whose conversation was deleted. */
export const DELETED = 'deleted'

/** The same of a run that was open where its conversation was exported. */
export const IMPORTED = 'imported'

/** The reason of an `aborted` outcome of a run that worked for a call, whose own run has ended. */
export const PARENT_ENDED = 'parent-ended'

/** What `run.result` resolves to. It never rejects. */
export type RunResult = RunResultBase & RunOutcome

/**
 * What a run may use, together with the runs of the agents that its calls ask. Once one of these is reached, those
 * runs end, the model is asked for a last answer without tools, and the run ends as `limit`. Checked before each step.
 */
export interface Limits {
  /**
   * Model outputs before the last answer. Default: none, and `maxSteps` is 10 unless this is given; of a run with those
   * that work for it, 100, or `maxSteps` if that is more.
   */
  readonly steps?: number
  /** Of input and output, cached input included, of attempts that failed, too. */
  readonly tokens?: number
  /** By the `prices` of the model, or its vendor's list prices; it needs one of them. */
  readonly costUSD?: number
  /** While something is done: neither while a person is waited for, nor while no page has it open. */
  readonly minutes?: number
}

export type LimitName = keyof Limits

/** Limits of a run, fixed at its start. */
export interface RunLimits extends Limits {
  /** Model calls at most; 0: one model turn, calls handed to the page; -1: no limit. Default 10. */
  readonly maxSteps: number
  /** Steps in a row that may hold an invalid call. Default 3. */
  readonly retries: number
  /** Agents that its calls ask at most. Default 20. */
  readonly maxChildren?: number
}

/** Children of one run, unless it says otherwise: more is a model that goes round in circles. */
export const MOST_CHILDREN = 20
