import type { JsonSchema, JsonValue } from '../protocol/json.ts'
import type { CallAbout } from '../protocol/run.ts'
import type { RemoteSource, ToolAnnotations } from '../protocol/tool.ts'
import type { StandardSchema } from './standard-schema.ts'

/** Which call a function of a tool or a hook is about. */
export interface ToolCallInfo {
  readonly runId: string
  readonly conversationId: string
  readonly toolCallId: string
}

/** What a tool's function gets beside its input: which call it is, when to stop, and how to report progress. */
export interface ToolContext extends ToolCallInfo {
  /** Aborted when the run is, when the tool takes longer than `timeoutMs`, and when it is unregistered. */
  readonly signal: AbortSignal
  /** Equal for every execution of this call, also after a reload. Hand it to the server. */
  readonly idempotencyKey: string
  /**
   * Of the run's owner. Grows whenever a tab claims any conversation in the store, for a run or anew after a
   * wait, the same tab too: a server that refuses an older one than it has seen is safe from an owner who was
   * replaced.
   */
  readonly fence: number
  /** The `data` of what `describe` returned, where a person approved this call by it. */
  readonly about?: JsonValue
  /**
   * The request that the call comes from held words of others, or what was made of them; of a call of a composite tool,
   * what that has read before, too.
   */
  readonly tainted?: boolean
  /** Emits how far the tool is: a `tool-progress` event. */
  progress(value: unknown): void
}

export interface ReconcileContext extends ToolCallInfo {
  readonly idempotencyKey: string
  /** Of the owner who asks, newer than that of the call's own execution. See `ToolContext`. */
  readonly fence: number
}

export interface UndoContext extends ToolCallInfo {
  /** Equal each time that the call is to be undone, and other than the call's own. Hand it to the server. */
  readonly idempotencyKey: string
  /** Aborted when it takes longer than the tool's `timeoutMs`, and when the agent is disposed. */
  readonly signal: AbortSignal
}

export type Reconciled =
  | { readonly happened: true; readonly result?: unknown }
  | { readonly happened: false }
  | null
  | undefined

export interface DescribeContext extends ToolCallInfo {
  /** The `data` of what was said when a person was asked about this call before: on a page that was left, perhaps. */
  readonly previous?: JsonValue
}

export interface CommitsContext extends ToolCallInfo {
  /** The request that the call comes from held words of others. */
  readonly tainted: boolean
}

/**
 * What all tools have. Methods, not function properties, so that tools with different inputs fit into one
 * array.
 */
interface ToolBase<Name extends string, Input, Output> {
  /** Policies, hooks, events and snapshots have it as it is; the model reads it cleaned to `[a-zA-Z0-9_-]{1,64}`. */
  readonly name: Name
  /** For people. */
  readonly title?: string
  /** For the model: what it does and when to use it. */
  readonly description: string
  /** JSON Schema of an object, or a Standard Schema. Absent: no parameters. */
  readonly inputSchema?: JsonSchema | StandardSchema
  /** The JSON form of a Standard Schema that can't give its own. */
  readonly jsonSchema?: JsonSchema
  /**
   * The `default`s of the schema take the place of what the model leaves out, before the call is checked, shown to a
   * person and run. Default false: the model only reads them.
   */
  readonly applyDefaults?: boolean
  readonly annotations?: ToolAnnotations
  /** Of a tool that isn't of the app's own code: an MCP server's, say. */
  readonly remote?: RemoteSource
  /** Milliseconds from the start. Default 60 000. */
  readonly timeoutMs?: number
  /** True: never beside other calls. False: safe beside others though not read-only. */
  readonly sequential?: boolean
  /**
   * Of a function, `'default'` leaves it to `toolApproval`; one that throws, or returns something else, counts as true, with a
   * warning.
   */
  needsApproval?: boolean | ApprovalMethod<Input>['ask']
  /**
   * What a consent to later calls is for: a recipient, an account. Where a person approves with `remember`, later calls
   * with the same run unasked; a function that throws, or returns no text, has them asked each time. Needed where
   * `annotations.openWorld`, and calls of other tools are told apart by it, too.
   */
  consentKey?(input: Input): string | undefined
  /**
   * Whether this call has an effect that a person is to be asked about while the conversation holds words of others: for
   * a tool whose calls differ, in place of what its annotations say. What throws, or returns no boolean, counts as true.
   */
  commits?(input: Input, call: CommitsContext): boolean | Promise<boolean>
  /**
   * What the call is about to act on, for the person who is asked to approve it: called before they are, and again on
   * the next page if the call still waits there. A function that throws fails the call: there is nothing to ask about.
   */
  describe?(input: Input, call: DescribeContext): About | Promise<About>
  /**
   * Which values of an input are secret, as JSON pointers (`'/password'`; `''`: all of it): called before the input is
   * stored. In their place stands a seal, everywhere but in what the tool's own function gets. Without effects. Of one
   * that throws, or returns something else, all texts and numbers are sealed.
   */
  secretsIn?(input: Input, call: ToolCallInfo): readonly string[] | Promise<readonly string[]>
  /** False leaves the tool out of the next step. */
  available?(): boolean
  /** Called when the tool is unregistered or the agent is disposed. */
  dispose?(): unknown
  /**
   * Undoes what a call did, when a person says so (`conversation.undo()`), at most once if it succeeds. `output` is
   * what is stored: what the model was given. Throw when it could not be undone.
   */
  undo?(input: Input, output: JsonValue, context: UndoContext): unknown
  /** For the page's own use. */
  readonly metadata?: unknown
  /** What the model is to see of a result. */
  toModelOutput?(output: Output, input: Input): unknown
}

/** A tool that the page gives the agent. */
export interface Tool<
  Name extends string = string,
  Input = unknown,
  Output = unknown,
> extends ToolBase<Name, Input, Output> {
  /**
   * After a crash: did the call with this key happen? Nothing when it can't be said. What didn't
   * happen is run, so `happened: false` must mean that it never will: the first request may still be
   * on its way. Never asked while the tool's own function still runs on this page.
   */
  reconcile?(input: Input, context: ReconcileContext): Reconciled | Promise<Reconciled>
  execute(input: Input, context: ToolContext): Output | Promise<Output>
}

export interface StepOptions {
  /**
   * True: a step that a crash cut off is not done again, and rejects with `call-failed`
   * (`details.status`: `'interrupted'`). Default false: it is done again.
   */
  readonly atMostOnce?: boolean
}

/** What the function of a composite tool gets. What it asks for here is remembered, in its order. */
export interface CompositeContext extends ToolContext {
  /** Aborted also when the function is suspended: nothing that it waits for here settles then. */
  readonly signal: AbortSignal
  /**
   * Calls a tool that the model may use, as the model would. Resolves to its output: a text, JSON, or an array
   * of parts. Rejects with `call-failed` for any other end; `details` has `toolName`, `toolCallId`, `status`
   * and, of an error, its `code`. With `invalid-input` for an input that is no plain data.
   */
  call(toolName: string, input?: unknown): Promise<JsonValue>
  /** Does something of the page once, and remembers what it returned, as JSON, or threw: a name and a message. */
  step<Value>(
    name: string,
    work: () => Value | Promise<Value>,
    options?: StepOptions,
  ): Promise<Value>
  /** `Date.now()`, the same each time. */
  now(): number
  /** `Math.random()`, the same each time. */
  random(): number
}

/**
 * A tool that calls other tools. Its function is run again after a reload, and after each wait for a person: it
 * finds what its calls and steps came to, and goes on behind them. See docs/composite-tools.md.
 */
export interface CompositeTool<
  Name extends string = string,
  Input = unknown,
  Output = unknown,
> extends ToolBase<Name, Input, Output> {
  /** Change it with the code: a call that other code began is not gone on with. */
  readonly version?: string
  run(input: Input, context: CompositeContext): Output | Promise<Output>
}

type About = CallAbout | null | undefined

type OwnApproval = boolean | 'default'

interface ApprovalMethod<Input> {
  ask(input: Input, call: ToolCallInfo): OwnApproval | Promise<OwnApproval>
}

/** A tool of either kind is what its function is named. */
export function isComposite(tool: Tool | CompositeTool): tool is CompositeTool {
  return !('execute' in tool) && 'run' in tool
}
