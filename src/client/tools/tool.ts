import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import type { CallAbout } from '../../protocol/run.ts'
import type { RemoteSource, ToolAnnotations } from '../../protocol/tool.ts'
import type { Pending } from '../runs/pending.ts'
import type { StandardSchema } from './standard-schema.ts'

/** Identifies the call that a tool's function or a hook is about. */
export interface ToolCallInfo {
  /** Run that the call belongs to. */
  readonly runId: string
  /** Conversation of the run. Different in each child run. */
  readonly conversationId: string
  /**
   * Identifies the call, also after a reload. Unique within its conversation only: send `idempotencyKey` to your server
   * instead.
   */
  readonly toolCallId: string
}

/** Second argument of a tool's function: identifies the call, signals when to stop, and reports progress. */
export interface ToolContext extends ToolCallInfo {
  /** Aborted when the run is aborted, when the tool exceeds `timeoutMs`, and when the tool is unregistered. */
  readonly signal: AbortSignal
  /** Equal for every execution of this call, also after a reload. Send it to your server. */
  readonly idempotencyKey: string
  /**
   * Fencing token: a number that grows whenever a tab claims the conversation, at the start of a run or when a waiting
   * run continues. Send it to your server with each write, along with `conversationId`. Your server keeps the highest
   * number of each conversation and refuses lower ones. This stops writes by a tab that froze and lost its run.
   */
  readonly fence: number
  /**
   * The `data` that this tool's `describe()` returned when a person was asked to approve the call. Compare it with the
   * current state before you act. Undefined if no person approved, or `describe()` returned no `data`.
   */
  readonly about?: JsonValue
  /**
   * True if the model request behind this call contained untrusted content, or text derived from it. For calls of a
   * composite tool, this includes content that the tool has read before.
   */
  readonly tainted?: boolean
  /**
   * Reports the call's progress: a string or any other data. The page gets it in a `tool-progress` event, and as the
   * call's `progress` in snapshots. The value isn't sent to the model or stored.
   */
  progress(value: unknown): void
}

/** Second argument of `Tool.reconcile`: identifies the call whose outcome is unknown. */
export interface ReconcileContext extends ToolCallInfo {
  /** Key that the call's `execute` got. Look it up on your server. */
  readonly idempotencyKey: string
  /** Fencing token of the tab that reconciles, higher than the one that `execute` got. See `ToolContext`. */
  readonly fence: number
}

export interface UndoContext extends ToolCallInfo {
  /** Equal for every attempt to undo this call, and different from the call's own key. Send it to your server. */
  readonly idempotencyKey: string
  /** Aborted when undoing exceeds the tool's `timeoutMs`, and when the agent is disposed. */
  readonly signal: AbortSignal
}

export type Reconciled =
  | { readonly happened: true; readonly result?: unknown }
  | { readonly happened: false }
  | null
  | undefined

export interface DescribeContext extends ToolCallInfo {
  /** The `data` that `describe()` returned for this call before, perhaps on an earlier page. */
  readonly previous?: JsonValue
}

/** Second argument of a tool's `commits`: identifies the call, and tells if its request was tainted. */
export interface CommitsContext extends ToolCallInfo {
  /** True if the model request behind this call contained untrusted content. */
  readonly tainted: boolean
}

/**
 * Members shared by all tools. Functions are methods, not properties, so that tools with different inputs fit into one
 * array.
 */
export interface ToolBase<Name extends string, Input, Output, Shown = unknown> {
  /**
   * Unique name of the tool. Policies, hooks, events and snapshots use it as written. The model gets only letters,
   * digits, `_` and `-`, at most 64 of them: `Send Mail` becomes `Send_Mail`. If the names of two tools become equal,
   * `createAgent()` or `registerTool()` throws `duplicate-tool`.
   */
  readonly name: Name
  /** Name that people see in approvals and in the chat. Default: `name`. */
  readonly title?: string
  /** Tells the model what the tool does and when to use it. */
  readonly description: string
  /** JSON Schema of an object, or a Standard Schema. Default: no parameters. */
  readonly inputSchema?: JsonSchema | StandardSchema
  /** JSON Schema for a Standard Schema that can't produce its own. */
  readonly jsonSchema?: JsonSchema
  /**
   * Fills in the schema's `default`s for values the model leaves out, before the call is checked, shown to a person and
   * run. Default false: the model sees the `default`s, but nothing fills them in.
   */
  readonly applyDefaults?: boolean
  /**
   * Declares the tool's effects, such as `{ readOnly: true }` or `{ destructive: true }`. By default, destructive tools
   * need approval (`toolApproval`). Read-only tools may run in parallel, and again after a crash. Default: the tool
   * writes, but doesn't destroy.
   */
  readonly annotations?: ToolAnnotations
  /** Set for a tool from outside the app's own code, such as an MCP server's. */
  readonly remote?: RemoteSource
  /** Milliseconds from the start until the tool times out. Default 60 000. */
  readonly timeoutMs?: number
  /**
   * True: calls never run in parallel with other calls. False: they may, even if the tool isn't read-only. Default:
   * only a read-only tool's calls may.
   */
  readonly sequential?: boolean
  /**
   * Whether calls need approval. A function may return `'default'`: `toolApproval` then decides. If it throws, or
   * returns anything else (which warns), the call needs approval.
   */
  needsApproval?: boolean | ApprovalMethod<Input>['ask']
  /**
   * Scope of a remembered approval, such as a recipient or an account. After a person approves with `remember`, later
   * calls with the same key need no approval. If it throws or returns no text, every call needs approval. Required to
   * remember approvals of the app's own tools with `annotations.openWorld`, optional for others.
   */
  consentKey?(input: Input): string | undefined
  /**
   * Whether this call has an effect that needs approval while the conversation contains untrusted content. Decides
   * instead of the tool's annotations, for tools whose calls differ. Throwing, or returning no boolean, counts as true.
   */
  commits?(input: Input, call: CommitsContext): boolean | Promise<boolean>
  /**
   * Describes what the call is about to act on, for the person who approves it. Called before approval is requested,
   * and again if another page drives the run while the call still waits: after a reload, or in another tab. If it
   * throws, the call fails: there is nothing to approve.
   */
  describe?(input: Input, call: DescribeContext): About | Promise<About>
  /**
   * Returns JSON pointers to the secret values of an input, such as `'/password'`, or `''` for the whole input. Called
   * before the input is stored. Only the tool's own function gets the secrets; everything else gets placeholders. Must
   * have no side effects. If it throws or returns anything else, placeholders replace all texts and numbers.
   */
  secretsIn?(input: Input, call: ToolCallInfo): readonly string[] | Promise<readonly string[]>
  /** Returns false to leave the tool out of the next step. */
  available?(): boolean
  /** Called when the tool is unregistered or the agent is disposed. */
  dispose?(): unknown
  /**
   * Reverts a successful call when a person asks for it (`conversation.undo()`). `output` is what the model got; its
   * type is known if `execute` and `toModelOutput` stand above. Throw if undoing fails, so that the person can try
   * again. A call is undone at most once. Default: calls can't be undone.
   */
  undo?(input: Input, output: AsJson<Shown>, context: UndoContext): unknown
  /** For the page's own use. */
  readonly metadata?: unknown
  /** Converts a result into what the model gets. Default: the result itself. */
  toModelOutput?(output: Output, input: Input): Shown | Promise<Shown>
}

/** A tool that the page offers the agent. */
export interface Tool<
  Name extends string = string,
  Input = unknown,
  Output = unknown,
> extends ToolBase<Name, Input, Output> {
  /**
   * Called after a crash: did the call with this key happen? Return nothing if unknown. After `happened: false` the
   * call runs again. Return that only if the first request, perhaps still on its way, can't take effect any more. Never
   * called while the tool's own function still runs on this page.
   */
  reconcile?(input: Input, context: ReconcileContext): Reconciled | Promise<Reconciled>
  /**
   * Runs the tool on the page, with the checked input. The model gets the return value: a string, data as JSON, or
   * files. Throwing, or exceeding `timeoutMs`, ends the call with an error that the model reads. The run continues.
   * Return `pending()` if the outcome comes later.
   *
   * @example
   * async execute({ sku }, { signal, idempotencyKey }) {
   *   const headers = { 'idempotency-key': idempotencyKey } // the server drops a repeated request
   *   const answer = await fetch(`/api/cart/${sku}`, { method: 'PUT', headers, signal })
   *   if (!answer.ok) throw new Error(`The shop refused: ${answer.statusText}`)
   *   return answer.json()
   * }
   */
  execute(input: Input, context: ToolContext): Output | Promise<Output>
}

/** Options of `step` in a composite tool: whether an interrupted step runs again. */
export interface StepOptions {
  /**
   * True: a step that a crash cut off doesn't run again, and rejects with `call-failed` (`details.status`:
   * `'interrupted'`). Default false: it runs again.
   */
  readonly atMostOnce?: boolean
}

/**
 * Context of a composite tool's function. Results of its methods are stored in order, and returned again when the
 * function runs again.
 */
export interface CompositeContext extends ToolContext {
  /** Also aborted when the function is suspended. Promises that this context returned then never settle. */
  readonly signal: AbortSignal
  /**
   * Calls a tool that the model may use, as the model would. Resolves to its output: a string, JSON, or an array of
   * parts. If the call doesn't succeed, rejects with `call-failed`. Its `details` are `toolName`, `toolCallId`,
   * `status` and, for an error, its `code`. An input that isn't plain data rejects with `invalid-input`.
   */
  call(toolName: string, input?: unknown): Promise<JsonValue>
  /** Runs page code once, and stores the outcome: the return value as JSON, or the error's name and message. */
  step<Value>(
    name: string,
    work: () => Value | Promise<Value>,
    options?: StepOptions,
  ): Promise<Value>
  /** Returns `Date.now()`. When the function runs again, returns the stored value. */
  now(): number
  /** Returns `Math.random()`. When the function runs again, returns the stored value. */
  random(): number
}

/**
 * A tool that calls other tools. Its function runs again after a reload, and after each wait for a person; finished
 * calls and steps then return their stored results. See docs/composite-tools.md.
 */
export interface CompositeTool<
  Name extends string = string,
  Input = unknown,
  Output = unknown,
> extends ToolBase<Name, Input, Output> {
  /** Change it whenever you change `run()`. A call that another version began is not resumed. */
  readonly version?: string
  run(input: Input, context: CompositeContext): Output | Promise<Output>
}

/** A result as JSON. Any JSON if the result comes later, or its class or type doesn't tell. */
type AsJson<Result> = Result extends JsonValue
  ? Result
  : Result extends readonly (infer Item)[]
    ? AsJson<Item>[]
    : Result extends object
      ? [Methods<Result> | Extract<Result, Pending>] extends [never]
        ? {
            [Key in keyof Result]:
              | AsJson<Exclude<Result[Key], undefined>>
              | Extract<Result[Key], undefined>
          }
        : JsonValue
      : JsonValue

type Methods<Value> = {
  [Key in keyof Value]-?: unknown extends Value[Key]
    ? never
    : Extract<Value[Key], (...args: never) => unknown>
}[keyof Value]

type About = CallAbout | null | undefined

type OwnApproval = boolean | 'default'

interface ApprovalMethod<Input> {
  ask(input: Input, call: ToolCallInfo): OwnApproval | Promise<OwnApproval>
}

/** True for a tool with `run()` instead of `execute()`. */
export function isComposite(tool: Tool | CompositeTool): tool is CompositeTool {
  return !('execute' in tool) && 'run' in tool
}
