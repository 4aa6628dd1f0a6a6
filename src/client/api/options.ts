import type { Retention, StorageConfig } from '../../protocol/conversation.ts'
import type { Fact } from '../../protocol/fact.ts'
import type { Engine } from '../../protocol/engine.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import type {
  FilePart,
  HistoryMessage,
  Message,
  TextPart,
  ToolOutput,
} from '../../protocol/message.ts'
import type { Endpoint, ModelConfigData } from '../../protocol/model.ts'
import type { Limits, RunToolCall } from '../../protocol/run.ts'
import type { WhileTainted } from '../../protocol/taint.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import type { ControlTool } from '../tools/control-tools.ts'
import type { Skill } from '../features/skill.ts'
import type { WorkerAddress, WorkerLike } from '../worker-link/spawn-worker.ts'
import type { AgentMemory } from '../features/memory.ts'
import type { CompositeTool, Tool, ToolCallInfo } from '../tools/tool.ts'
import type { StandardSchema } from '../tools/standard-schema.ts'
import type {
  CompactionChoice,
  CompactionPolicy,
  CompactionSettings,
  CompactionSituation,
} from '../../protocol/compaction.ts'

/**
 * Keeps a long conversation within the model's context window. Stored messages stay complete: only the request is
 * shortened.
 */
export interface CompactionOptions {
  /**
   * Size of the window in tokens. Default: the model configuration's value, or the model's known window. If neither is
   * known, requests are shortened once the server refuses one.
   */
  readonly contextWindow?: number
  /** The fraction of the window at which compaction starts: above 0, at most 1. Default 0.8. */
  readonly at?: number
  /**
   * How to shorten requests. A function decides each time.
   * - `clear-results`: replaces all tool results but the newest with a note.
   * - `summarize`: replaces the oldest messages with a summary by the model. Without a summary, drops them.
   * - `drop-oldest`: leaves out the oldest messages.
   * - `auto` (default): `clear-results` if that is enough, otherwise `summarize`.
   */
  readonly policy?: CompactionPolicy | ChooseCompaction
}

/**
 * Chooses what to leave out of requests. Return a policy's name to apply that policy, or null to send everything. The
 * choice is stored and applies to later requests, too. If the function throws, takes over 60 seconds, or makes an
 * impossible or insufficient choice, `auto` applies and a `warning` is emitted.
 */
export type ChooseCompaction = (
  situation: CompactionSituation & {
    /** Aborted with the run, or when the choice is no longer needed. */
    readonly signal: AbortSignal
  },
) => Choice | Promise<Choice>

type Choice = CompactionChoice | CompactionPolicy | null

/** Converts the options for the worker. A function stays on the page: it becomes `custom`. */
export function compactionSettings(options: CompactionOptions | false): CompactionSettings | false {
  if (!options || typeof options.policy !== 'function') return options as CompactionSettings | false
  return { ...options, policy: 'custom' }
}

/** Options of `asTool`: how other agents call this one. */
export interface SubAgentOptions<Input = unknown> {
  /** Name of the tool in the calling agent, unique among its tools. */
  readonly name: string
  /** Tool name that people see. Default: `name`. */
  readonly title?: string
  /** Tells the calling model what the agent does and when to call it. */
  readonly description: string
  /** Default: `{ prompt: string }`. */
  readonly inputSchema?: JsonSchema | StandardSchema
  /**
   * Makes the child run's message from the call's input. Default: the input's `prompt`, or the input as JSON if it has
   * none.
   */
  toPrompt?(input: Input): RunInput
  /** Schema of the data that the calling model gets. Default: it gets the agent's last text. */
  readonly output?: JsonSchema | StandardSchema
  /** Maximum number of steps of a child run. Default: the agent's `maxSteps`. */
  readonly maxSteps?: number
  /** Whether calls need approval, as for any tool. */
  readonly needsApproval?: boolean
}

/** The model request that needs credentials. Return only a key that belongs to its `origin`. */
export interface CredentialRequest extends Endpoint {
  /** Aborted when the agent is disposed. */
  readonly signal: AbortSignal
  /** True if the server answered the last request with 401. Don't return the same key again. */
  readonly previousRejected: boolean
}

export interface Headers {
  readonly [name: string]: string
}

/**
 * A model and how to reach it. Plain data, except `apiKey` and `headers`: the page keeps them, and passes them to the
 * worker for each request. They are never stored or logged.
 */
export interface ModelConfig extends Omit<ModelConfigData, 'headers' | 'model'> {
  /** Optional only for `minimax`, which has a default model. */
  readonly model?: string
  readonly apiKey?: string | ((request: CredentialRequest) => string | Promise<string>)
  readonly headers?: Headers | ((request: CredentialRequest) => Headers | Promise<Headers>)
}

/** Values that replace `{{name}}` in instructions and prompts. Write `\{{name}}` for a literal `{{name}}`. */
export interface PromptValues {
  readonly [name: string]: string | number | boolean
}

/** A tool call as hooks and policies get it. Tool and input names are the app's, not the model's. */
export interface HookedCall extends ToolCallInfo {
  readonly toolName: string
  readonly input: JsonValue
}

/** The model request that `beforeModel` may change. */
export interface ProposedRequest {
  readonly runId: string
  readonly conversationId: string
  /** Number of the step within its run, from 1. */
  readonly step: number
  /** Messages as the model would get them. The last one is the person's. */
  readonly messages: readonly Message[]
}

/** Return value of `beforeModel`: changes to the person's message. */
export interface RequestChange {
  /** Text that is sent after the person's message. */
  readonly appendToLastUser?: string
  /** Text that replaces the person's text. The message keeps its files. */
  readonly rewriteLastUser?: string
}

/** A final answer, before the run completes with it. */
export interface ProposedAnswer {
  readonly runId: string
  readonly conversationId: string
  readonly text: string
  /** All tool calls of the run. */
  readonly toolCalls: readonly RunToolCall[]
  /** Aborted when the run is stopped, or `verifyTimeoutMs` has passed. */
  readonly signal: AbortSignal
}

/** Return value of `verify`. `feedback` tells the model what is wrong and how to do better. */
export type AnswerVerdict = { readonly ok: true } | { readonly feedback: string }

/** A second model call reviews each final answer of a run. It gets the conversation, but no tools. */
export interface ReflectOptions {
  /** Instructions for the review. `{{name}}` is filled in as in the agent's `instructions`. */
  readonly instructions: string
  /** Default: the agent's model. */
  readonly model?: ModelConfig
  /** `annotate`: the review is stored with the answer. `replace`: a better answer by the model replaces the answer. */
  readonly mode: 'annotate' | 'replace'
  /**
   * Milliseconds that the review may take. After that, the answer stays and a `warning` is emitted. Default 120 000.
   */
  readonly timeoutMs?: number
}

/** A tool call that has run. */
export interface FinishedCall extends HookedCall {
  readonly status: SettledStatus
  /** Output that the model gets. */
  readonly output: ToolOutput
  /** Full return value of `execute`. `undefined` if the call failed. */
  readonly result: unknown
}

type Awaitable<Value> = Value | Promise<Value>

/**
 * Which calls need approval, in addition to calls whose tool requires it. `never`: no others. `destructive` (default):
 * calls of destructive tools. `writes`: calls of tools that aren't read-only. `always`: all calls. A function decides
 * for each call. If it throws, or returns no boolean (which warns), the call needs approval.
 */
export type ApprovalPolicy =
  | 'never'
  | 'destructive'
  | 'writes'
  | 'always'
  | ((call: HookedCall) => Awaitable<boolean>)

/** Options of `createAgent`. Only `model` is required. Wrong values throw `invalid-config`. */
export interface AgentOptions {
  /**
   * Model that answers, and how to reach it. Keys are never stored. `agent.configure()` changes the model at the next
   * step. Required.
   *
   * @example
   * model: { provider: 'ollama', model: 'qwen3:4b' }
   * model: { provider: 'openai', model: 'gpt-4.1-mini', apiKey: () => fetchShortLivedKey() }
   */
  readonly model: ModelConfig
  /** System prompt. `{{name}}` is replaced by the entry `name` of `values`. Default: none. */
  readonly instructions?: string
  /**
   * Values for `{{name}}` in `instructions` and in the inputs of `agent.run()`, also where a person typed `{{name}}`. A
   * name without a value fails the run: `invalid-config` in `instructions`, `invalid-input` in inputs. Default: none.
   * If `run()` gets no values either, its input is sent verbatim.
   *
   * @example
   * createAgent({ model, instructions: 'Today is {{date}}.', values: { date: new Date().toDateString() } })
   */
  readonly values?: PromptValues
  /** Tools registered from the start. `agent.registerTool()` adds more at any time. Default: none. */
  readonly tools?: readonly (Tool | CompositeTool)[]
  /** Names of the tools that the model may use. Default: all. */
  readonly enabledTools?: readonly string[]
  /**
   * Built-in tools that steer the run. `ask_user` pauses it until `agent.answer()`, `finish_task` ends it with a text,
   * `plan` keeps a task list. Default: none.
   */
  readonly controlTools?: readonly ControlTool[]
  /** Instructions that the model activates when it needs them. Create them with `offstage/skills`. Default: none. */
  readonly skills?: readonly Skill[]
  /**
   * Memories that outlive a conversation: `keywordMemory()` or others of `offstage/memory`, your own memory, or an
   * array of these. The agent searches each memory once for each user message, and the model gets the entries found.
   * Most memories also give the model tools, such as `remember`, to add entries. If a search fails, the run continues
   * without entries. Default: none.
   */
  readonly memory?: AgentMemory | readonly AgentMemory[]
  /** Lets `ask_user` request several values at once. Your page shows them as a form. Default false. */
  readonly questionFields?: boolean
  /**
   * Your function that returns what the model should know about the page now, such as the open product. May be async.
   * Called before each step. The model gets only the newest value, which is never stored: strings unchanged, other
   * values as JSON, undefined and null not at all. If it throws, the run fails with `invalid-config`. Default: none.
   */
  readonly context?: () => unknown
  /** Which calls need approval, in addition to calls whose tool requires it. Default `'destructive'`. */
  readonly toolApproval?: ApprovalPolicy
  /**
   * Calls that need approval while the model's input contains untrusted content, regardless of `toolApproval` and
   * `needsApproval`. See docs/security.md. Default `'ask-effects'`.
   */
  readonly whileTainted?: WhileTainted
  /**
   * `'person'`: `approve` and all other answers need a user gesture on the page, made after the question. `'page'`:
   * answers are refused only if page tools may have clicked the button. Default: `'page'`. Once an `<offstage-chat>`
   * shows the agent, the default is `'person'`, but outcomes that the app reports need no gesture. See
   * docs/security.md.
   */
  readonly consent?: 'person' | 'page'
  /**
   * Called before a call is checked and run. May veto the call or change its input. If it throws, the call is vetoed.
   */
  readonly beforeToolCall?: (
    call: HookedCall,
  ) => Awaitable<void | { readonly veto: string } | { readonly input: JsonValue }>
  /**
   * Called after a call has run. May change its result. If it throws or exceeds the tool's `timeoutMs`, the result
   * stays and a `warning` is emitted.
   */
  readonly afterToolCall?: (call: FinishedCall) => Awaitable<void | { readonly result: unknown }>
  /**
   * Called once for each user message, before a model reads it. May append a text (live facts, a reminder) or replace
   * the message's text. Later requests keep the change. If it throws, nothing changes and a `warning` is emitted.
   */
  readonly beforeModel?: (request: ProposedRequest) => Awaitable<void | RequestChange>
  /**
   * Checks a final answer before the run completes. Not called if the run has no step left. `feedback` goes to the
   * model, which answers again. `{ ok: true }` accepts the answer. If `verify` throws or takes too long, the answer is
   * accepted and a `warning` is emitted.
   */
  readonly verify?: (answer: ProposedAnswer) => Awaitable<AnswerVerdict>
  /** How many answers of a run `verify` may reject. The next answer is accepted unchecked. Default 2. */
  readonly verifyRounds?: number
  /** Milliseconds that `verify` may take. Default 60 000. */
  readonly verifyTimeoutMs?: number
  /** A second model call reviews each final answer. Default: no review. */
  readonly reflect?: ReflectOptions
  /**
   * Redacts each fact before it is stored. Must be pure, and may change only texts and data of the fact. Models, tools
   * and people get the redacted version. If the function throws or changes anything else, nothing is stored and the run
   * fails with `redact-failed`.
   */
  readonly redact?: (fact: Fact) => Fact
  /**
   * Maximum number of steps of a run. A step is one model request with the calls of its answer. A run that needs more
   * ends as `max-steps`, without a last answer. -1: no limit. 0: one request, whose calls Offstage doesn't run. If the
   * model makes any, the run ends as `waiting`, and you pass results to `supplyOutput()`. Default: 10, or no limit if
   * `limits.steps` is set.
   */
  readonly maxSteps?: number
  /** How many steps in a row may contain an invalid call. One more fails the run. Default 3. */
  readonly retries?: number
  /** How many calls of a run may start child runs (`asTool`). Default 20. */
  readonly maxChildren?: number
  /**
   * How requests are kept within the context window. False: never shortened; a request that is too long fails the run
   * with `context-overflow`. Default `{ at: 0.8, policy: 'auto' }`.
   */
  readonly compaction?: CompactionOptions | false
  /**
   * Ends a run that reaches one of these: `steps`, `tokens`, `costUSD` or `minutes`. Child runs (`asTool`) count, too.
   * The model gives a last answer without tools, and the run ends as `limit`. `costUSD` throws `invalid-config` unless
   * the model has `prices` or its vendor a known list price. Default: none of the four; `maxSteps` still applies. If
   * `steps` isn't set, a run with child runs may take 100 steps in total, or `maxSteps` if that is more; with
   * `maxSteps: -1`, any number.
   */
  readonly limits?: Limits
  /** Place where conversations are stored. Default `{ name: 'offstage' }`. */
  readonly storage?: StorageConfig
  /** Limits the stored conversations by age, number and size. Default: everything is kept. */
  readonly retention?: Retention
  /**
   * Lets a model write a conversation's title from its first exchange, once no run is open. True: the agent's model
   * writes it. Default: the title is the beginning of the first message.
   */
  readonly titles?: boolean | { readonly model: ModelConfig }
  /**
   * Returns the Web Worker that runs the agent. Needed for custom providers, or if the bundler can't find the default
   * worker. The worker's file calls `startWorker()` of `offstage/worker`. If your function is async, create the worker
   * after its last `await`: messages that the worker sends before the promise resolves are lost. Default: the package's
   * own worker.
   *
   * @example
   * worker: () => new Worker(new URL('./my-worker.ts', import.meta.url), { type: 'module' })
   */
  readonly worker?: () => WorkerLike | Promise<WorkerLike>
  /** Address of the worker file, for pages without a bundler. A `TrustedScriptURL` is passed on as it is. */
  readonly workerUrl?: WorkerAddress
  /** Model engines in this browser, for models whose `provider` is an engine's id. */
  readonly engines?: readonly Engine[]
  /** Adds a `raw` event to the run's events for each unchanged chunk of the provider's response. Default false. */
  readonly raw?: boolean
  /**
   * Adds a `request` event to the run's events for each model request. For development only: the event contains the
   * whole history, but no key. Default false.
   */
  readonly requests?: boolean
  /** Milliseconds between checks that a worker with unfinished work still responds. Default 3000. */
  readonly heartbeatMs?: number
}

/** Options of one run. The agent's options apply to everything left out. */
export interface RunOptions {
  /** Conversation of the run, created if it doesn't exist. Default: a new conversation. */
  readonly conversationId?: string
  /**
   * Aborts the run, as `run.abort()` does: it ends as `aborted`, and can't be resumed. If the signal is already
   * aborted, the run doesn't start. Default: none. The signal doesn't outlive a reload.
   */
  readonly signal?: AbortSignal
  /**
   * Maximum number of steps of this run, with the same special values as the agent's `maxSteps`. Default: the agent's.
   */
  readonly maxSteps?: number
  /** How many steps in a row may contain an invalid call. One more fails the run. Default: the agent's. */
  readonly retries?: number
  /** How many calls of this run may start child runs (`asTool`). Default: the agent's. */
  readonly maxChildren?: number
  /** Each limit replaces the agent's limit of the same name. */
  readonly limits?: Limits
  /**
   * How to handle an open run of the conversation. `'refuse'` (default): the new run fails with `conversation-busy`.
   * `'queue'`: it begins after the open run; a reload loses it. `'replace'`: the open run is aborted. If another tab
   * drives the open run, all three fail with `conversation-busy`.
   */
  readonly ifBusy?: 'refuse' | 'queue' | 'replace'
  /**
   * Values for `{{name}}` in the input, added to the agent's. If there are any, the input is a template, and a name
   * without a value fails the run. Pass false for text that a person typed: the input is then sent verbatim.
   */
  readonly values?: PromptValues | false
  /**
   * Earlier messages to begin a conversation with, in the format of Offstage, OpenAI (Chat Completions) or Anthropic.
   * Ignored if the conversation has messages. Unreadable messages fail the run with `invalid-history`. If calls at the
   * end have no result, the history is stored and the run fails with `calls-pending`. `supplyOutput()` then continues
   * from those calls. Default: none.
   *
   * @example
   * const history = [
   *   { role: 'user', content: 'A mug, please' },
   *   { role: 'assistant', content: 'It is in your cart.' },
   * ] as const
   * agent.run('And a spoon', { conversationId: 'moved', history })
   */
  readonly history?: readonly HistoryMessage[]
}

/** Input of a run: a string, or an array of text and file parts. Empty input fails with `invalid-input`. */
export type RunInput = string | readonly (TextPart | FilePart)[]

/** Options of `resume` and `takeOver`: how to treat calls that were cut off by a reload or crash. */
export interface ResumeOptions {
  /**
   * `'tell-model'` (default): the model learns that the call may or may not have happened. `'ask'`: a person decides.
   */
  readonly interrupted?: 'tell-model' | 'ask'
  /** Maximum milliseconds to wait until the page registers the tool of an unfinished call. Default 10 000. */
  readonly waitForToolsMs?: number
}
