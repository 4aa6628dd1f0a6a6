import type { CompactionOptions } from './compaction.ts'
import type { StorageConfig } from '../protocol/conversation.ts'
import type { Fact } from '../protocol/fact.ts'
import type { Engine } from '../protocol/engine.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { HistoryMessage } from '../protocol/history.ts'
import type { FilePart, Message, TextPart, ToolOutput } from '../protocol/message.ts'
import type { Endpoint, ModelConfigData } from '../protocol/model.ts'
import type { Limits, RunToolCall } from '../protocol/run.ts'
import type { Retention } from '../protocol/retention.ts'
import type { WhileTainted } from '../protocol/taint.ts'
import type { SettledStatus } from '../protocol/tool.ts'
import type { ControlTool } from './control-tools.ts'
import type { Skill } from './skill.ts'
import type { WorkerAddress, WorkerLike } from './spawn-worker.ts'
import type { AgentMemory } from './memory.ts'
import type { CompositeTool, Tool, ToolCallInfo } from './tool.ts'

/** Which request a key is for. A key belongs to an `origin`: give it to no other. */
export interface CredentialRequest extends Endpoint {
  /** Aborted when the agent is disposed. */
  readonly signal: AbortSignal
  /** The last answer got a 401: don't hand out the same key again. */
  readonly previousRejected: boolean
}

export interface Headers {
  readonly [name: string]: string
}

/**
 * A model and how to reach it. Plain data but for `apiKey` and `headers`, which stay on the page and
 * are handed to the worker for each request; nothing of them is stored or logged.
 */
export interface ModelConfig extends Omit<ModelConfigData, 'headers' | 'model'> {
  /** May be left out where the provider has a default: `minimax`. */
  readonly model?: string
  readonly apiKey?: string | ((request: CredentialRequest) => string | Promise<string>)
  readonly headers?: Headers | ((request: CredentialRequest) => Headers | Promise<Headers>)
}

/** Put in the place of `{{name}}` in instructions and prompts. `\{{name}}` stands for the braces themselves. */
export interface PromptValues {
  readonly [name: string]: string | number | boolean
}

/** A call as hooks and policies see it: names are the tool's own. */
export interface HookedCall extends ToolCallInfo {
  readonly toolName: string
  readonly input: JsonValue
}

/** What a model is about to be asked. */
export interface ProposedRequest {
  readonly runId: string
  readonly conversationId: string
  /** Of the run, from 1. */
  readonly step: number
  /** As they would be sent; the person's message is the last one. */
  readonly messages: readonly Message[]
}

/** What `beforeModel` makes of the person's message. */
export interface RequestChange {
  /** Sent behind it. */
  readonly appendToLastUser?: string
  /** Sent in place of its text; its files stay. */
  readonly rewriteLastUser?: string
}

/** An answer with which a run would be completed. */
export interface ProposedAnswer {
  readonly runId: string
  readonly conversationId: string
  readonly text: string
  /** All of the run. */
  readonly toolCalls: readonly RunToolCall[]
  /** Aborted when the run is stopped, or it took too long. */
  readonly signal: AbortSignal
}

/** What `verify` says. `feedback`: what is wrong, and how to do better, in words for the model. */
export type AnswerVerdict = { readonly ok: true } | { readonly feedback: string }

/** A second model call for each answer that a run is completed with: it has the conversation, and no tools. */
export interface ReflectOptions {
  /** What to look for. `{{name}}` is filled in as in the agent's instructions. */
  readonly instructions: string
  /** Default: the agent's model. */
  readonly model?: ModelConfig
  /** `annotate`: what is said of the answer stands beside it. `replace`: a better answer takes its place. */
  readonly mode: 'annotate' | 'replace'
  /** How long it may take; the answer stays as it is then, with a `warning`. Milliseconds. Default 120 000. */
  readonly timeoutMs?: number
}

/** A call that ran. */
export interface FinishedCall extends HookedCall {
  readonly status: SettledStatus
  /** What the model is to see. */
  readonly output: ToolOutput
  /** What `execute` returned, in full; `undefined` when it failed. */
  readonly result: unknown
}

type Awaitable<Value> = Value | Promise<Value>

/**
 * Which calls need a person's consent, beside those whose tool says so itself: none, those of
 * destructive tools (default), of all tools that aren't read-only, all, or as the function says.
 * A function that throws counts as true, and so does one that returns no boolean, with a warning.
 */
export type ApprovalPolicy =
  | 'never'
  | 'destructive'
  | 'writes'
  | 'always'
  | ((call: HookedCall) => Awaitable<boolean>)

/** What an agent is made of; all but `model` is optional. Wrong values: `createAgent` throws `invalid-config`. */
export interface AgentOptions {
  readonly model: ModelConfig
  /** The system prompt. */
  readonly instructions?: string
  readonly values?: PromptValues
  readonly tools?: readonly (Tool | CompositeTool)[]
  /** Names of the tools that the model may use. Default: all. */
  readonly enabledTools?: readonly string[]
  /**
   * Tools for steering the run: `ask_user` parks it until `agent.answer()`, `finish_task` ends it with
   * a text, `plan` keeps a list of what is to be done. Default: none.
   */
  readonly controlTools?: readonly ControlTool[]
  /** Instructions that the model brings into use when it needs them, of `offstage/skills`. Default: none. */
  readonly skills?: readonly Skill[]
  /** What the agent remembers beside its conversations: one or several, asked about each message of a person. */
  readonly memory?: AgentMemory | readonly AgentMemory[]
  /** `ask_user` may ask for several values at once, as a form that the page shows. Default false. */
  readonly questionFields?: boolean
  /** Live page context, read before each step. A string as it is, all else as JSON. */
  readonly context?: () => unknown
  readonly toolApproval?: ApprovalPolicy
  /**
   * Which calls a person is asked about while what the model is sent holds words of others, whatever `toolApproval` and
   * `needsApproval` say: see docs/security.md. Default `'ask-effects'`.
   */
  readonly whileTainted?: WhileTainted
  /**
   * `'person'`: `approve` and all other answers take a press of a person's own on the page, after the question: see
   * docs/security.md. `'page'`: they are refused only where page tools may have pressed the button. Default: `'person'`
   * once an `<offstage-chat>` shows the agent (outcomes that the app reports need no press then), else `'page'`.
   */
  readonly consent?: 'person' | 'page'
  /** Before a call is checked and run: may veto it or change its input. Throwing vetoes. */
  readonly beforeToolCall?: (
    call: HookedCall,
  ) => Awaitable<void | { readonly veto: string } | { readonly input: JsonValue }>
  /** After a call ran: may change its result. Throwing, or taking longer than the tool may, changes nothing and is a `warning`. */
  readonly afterToolCall?: (call: FinishedCall) => Awaitable<void | { readonly result: unknown }>
  /**
   * Before a model reads what the person has written last: may have a text sent behind it (live facts, a reminder), or
   * another text in its place. Of each message once; it is sent so from then on. Throwing changes nothing and is a
   * `warning`.
   */
  readonly beforeModel?: (request: ProposedRequest) => Awaitable<void | RequestChange>
  /**
   * Asked before a run is completed with a text, unless no step is left: `feedback` is told to the model, which answers
   * again; `{ ok: true }` lets the answer stand. So does throwing, or taking too long, which is a `warning`.
   */
  readonly verify?: (answer: ProposedAnswer) => Awaitable<AnswerVerdict>
  /** How many answers of a run `verify` may reject. One after that stands, unasked. Default 2. */
  readonly verifyRounds?: number
  /** How long `verify` may take. Milliseconds. Default 60 000. */
  readonly verifyTimeoutMs?: number
  /** A second model call looks at each answer that a run is completed with. Default: none does. */
  readonly reflect?: ReflectOptions
  /**
   * Makes of each fact of the agent's storage what is stored of it: a pure function, which may change the texts and data
   * of the fact it gets, and nothing else. Models, tools and people get what is stored. When it throws, or returns
   * something else, nothing is stored, and the run fails with `redact-failed`.
   */
  readonly redact?: (fact: Fact) => Fact
  /** Model calls a run; 0: one turn, calls handed to the page; -1: no limit. Default 10. */
  readonly maxSteps?: number
  /** Steps in a row that may hold an invalid call. Default 3. */
  readonly retries?: number
  /** How many calls of a run may ask other agents (`asTool`). Default 20. */
  readonly maxChildren?: number
  /**
   * How what is sent is kept within the context window. False: never cut down; a model that is sent too much
   * fails the run with `context-overflow`. Default `{ at: 0.8, policy: 'auto' }`.
   */
  readonly compaction?: CompactionOptions | false
  /**
   * What a run may use, with the agents that its calls ask: model outputs, tokens, money, time. Default: nothing but
   * `maxSteps` limits it, and 100 model outputs in all where its calls ask agents.
   */
  readonly limits?: Limits
  /** Where conversations are kept. Default `{ name: 'offstage' }`. */
  readonly storage?: StorageConfig
  /** How much is kept there. Default: all. */
  readonly retention?: Retention
  /**
   * Titles that a model makes of a conversation's first exchange once no run is open: the agent's model, or this one.
   * Default: the beginning of the first message.
   */
  readonly titles?: boolean | { readonly model: ModelConfig }
  /**
   * Makes the worker, for providers of your own or a bundler that can't follow the default. What a worker
   * says before it is returned is missed: make it last.
   */
  readonly worker?: () => WorkerLike | Promise<WorkerLike>
  /** The worker file's address, for pages without a bundler. A `TrustedScriptURL` is passed on as it is. */
  readonly workerUrl?: WorkerAddress
  /** Model engines in this browser, for models whose `provider` is an engine's id. */
  readonly engines?: readonly Engine[]
  /** Emit `raw` events with the provider's own data. */
  readonly raw?: boolean
  /** Emit `request` events: what a model is asked with. For development: a request has the whole history. */
  readonly requests?: boolean
  /** How often the worker is asked for a sign of life while something is open. Default 3000. */
  readonly heartbeatMs?: number
}

/** What holds for one run. What it leaves out is as the agent has it. */
export interface RunOptions {
  /** Default: a new conversation. One that doesn't exist yet is created. */
  readonly conversationId?: string
  readonly signal?: AbortSignal
  readonly maxSteps?: number
  readonly retries?: number
  readonly maxChildren?: number
  /** Each in place of the agent's. */
  readonly limits?: Limits
  /**
   * When the conversation has an open run. Default `'refuse'`: fails with `conversation-busy`, as all do of a run
   * that another tab drives. What is queued begins on this page, or not at all: a reload loses it.
   */
  readonly ifBusy?: 'refuse' | 'queue' | 'replace'
  /**
   * Put in the place of `{{name}}` in the input, together with the agent's. When either has any, the
   * input is a template, and a name without a value fails the run. False: the input is taken as it is,
   * as what a person typed should be.
   */
  readonly values?: PromptValues | false
  /**
   * Earlier messages from elsewhere, for a conversation that has none yet: Offstage's own, OpenAI's
   * (Chat Completions) or Anthropic's. Calls in it without a result wait for `supplyOutput()`.
   */
  readonly history?: readonly HistoryMessage[]
}

export type RunInput = string | readonly (TextPart | FilePart)[]

export interface ResumeOptions {
  /** What to do with calls that may or may not have happened. Default `'tell-model'`. */
  readonly interrupted?: 'tell-model' | 'ask'
  /** How long to wait for the tool of a call that was under way. Default 10 000. */
  readonly waitForToolsMs?: number
}
