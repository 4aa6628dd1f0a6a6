import type { CallContext, PageApi, StepContext } from '../../protocol/page-calls.ts'
import type { DecidedTool, RunEnd, ReflectMode } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/message.ts'
import type { CallState } from '../../protocol/state.ts'
import type { Conversation } from '../conversation.ts'
import type { Effects } from '../effects.ts'
import type { Engines } from '../model/engine-providers.ts'
import type { RunFamily } from './counters.ts'
import { toOwnNames, forModel } from '../model/model-names.ts'
import type { ModelMemory } from '../model/model-memory.ts'
import type { Stream } from '../stream.ts'
import type { Validator } from '../validation/validator.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'
import type { ToolDescriptor } from '../../protocol/tool.ts'
import { resolveToolName } from '../../action/foreign/foreign-call.ts'

/** A run driven in this tab, with the services that every part of its driver uses. */
export interface DrivenRun {
  readonly agentId: string
  readonly runId: string
  readonly conversation: Conversation
  readonly stream: Stream
  readonly page: PageApi
  readonly effects: Effects
  readonly family: RunFamily
  readonly tools: ToolTable
  /** Aborts when the run or its step must stop. The reason is a `Stop`. After a cut step, this is a new signal. */
  readonly signal: AbortSignal
}

/** The run, and the services and state that its calls need. */
export interface CallsContext extends DrivenRun {
  /** Id of the page load, with which the ids of its executions start. */
  readonly pageId: string
  readonly validator: Validator
  /** Whether another tab that shows the conversation has registered the tool. */
  isInOtherTab(toolName: string): Promise<boolean>
  /** Calls that may run, with the input that hooks and validation produced. Keyed by call id. */
  readonly ready: Map<string, ReadyCall>
  /** Names of tools without annotations whose author was already warned. */
  readonly warnedTools: Set<string>
  /** Ids of unfinished executions that this driver has requested from the page. */
  readonly dispatched: Set<string>
  readonly resume: ResumeOptions | null
}

/** The run, and the services and state that its requests to models need. */
export interface ModelsContext extends DrivenRun {
  readonly providers: ProviderRegistry
  readonly engines: Engines
  readonly memory: ModelMemory
  /** Losses since the run's last answer, such as tools that were left out because the server refused them. */
  readonly losses: Loss[]
}

/** Everything that a driver has. Its functions take the narrower types above where they can. */
export interface RunContext extends CallsContext, ModelsContext {
  /** Id of the run that started when this one ended. */
  nextRunId?: string | undefined
}

/** A decided call, with the input and the tool to run. */
export interface ReadyCall {
  readonly toolName: string
  readonly input: JsonValue
  readonly by: DecidedTool
  /** Only in one-shot mode: whether the page should request approval. */
  readonly requiresApproval: boolean
  /** Id of the consent that allows the call without approval. */
  readonly consentId?: string
}

/** Why this driver stops a run: to end it, or to leave it unfinished for another owner. */
export type Stop =
  | { readonly type: 'end'; readonly end: RunEnd }
  /** Only the current step is cut short. The run continues. */
  | { readonly type: 'cut' }
  | { readonly type: 'release' }
  | { readonly type: 'deleted' }
  | { readonly type: 'taken-over' }

/** Whether the run stops here but stays unfinished in the store. */
export function stopsWithoutEnd(signal: AbortSignal): boolean {
  return signal.aborted && leavesUnfinished(signal.reason as Stop)
}

export function leavesUnfinished({ type }: Stop): boolean {
  return type !== 'end' && type !== 'cut'
}

export interface ResumeOptions {
  readonly interrupted: 'tell-model' | 'ask'
  readonly waitForToolsMs: number
  /** See `ResumeRun`. */
  readonly afterCrash?: boolean | 'loop'
}

export function callContext(
  context: DrivenRun,
  call: Pick<CallState, 'toolCallId' | 'toolName'>,
  input: JsonValue,
): CallContext {
  return {
    agentId: context.agentId,
    runId: context.runId,
    conversationId: context.conversation.conversationId,
    toolCallId: call.toolCallId,
    // Conversations of earlier versions hold the model's tool names, but the app's hooks and policies expect its own.
    ...toOwnNames({ toolName: call.toolName, input }, context.tools.get(call.toolName)),
  }
}

/**
 * Returns the own name of the tool that a native call means, even if case, separators or a namespace differ. If no
 * registered tool or several tools match, enabled or not, returns the name unchanged, and the call is refused.
 */
export function resolveName(name: string, tools: ToolTable): string {
  return tools.get(resolveToolName(name, [...tools.names, ...tools.omitted]) ?? '')?.name ?? name
}

/** The tools of the newest step, or those of a newer list from the page. */
export class ToolTable {
  /** Tools by their own name and by their model name. */
  #tools: ReadonlyMap<string, ToolDescriptor> | null = null
  #toolsWithSecrets: readonly ToolDescriptor[] = []
  /** Whether the page has a `beforeToolCall` hook. True until the first step's configuration is known. */
  hasBeforeToolCall = true
  /** Whether the page has a `verify` hook. True until the first step's configuration is known. */
  hasVerify = true
  /**
   * Mode of the agent's `reflect`. Null if the agent doesn't reflect. Undefined until the first step's configuration is
   * known.
   */
  reflects: ReflectMode | null | undefined = undefined
  /** Names of registered tools that the newest step left out. */
  omitted: readonly string[] = []
  readonly #waiters = new Set<() => void>()

  /** False until the page has listed its tools. A run that is resumed after a reload starts without them. */
  get isLoaded(): boolean {
    return this.#tools !== null
  }

  /** Tools whose inputs may hold secrets. */
  get toolsWithSecrets(): readonly ToolDescriptor[] {
    return this.#toolsWithSecrets
  }

  /** Names that the model knows. */
  get names(): readonly string[] {
    return [...new Set(this.#tools?.values())].map((tool) => forModel(tool).name)
  }

  get(name: string): ToolDescriptor | undefined {
    return this.#tools?.get(name)
  }

  set(tools: readonly ToolDescriptor[]): void {
    this.#tools = new Map(
      tools.flatMap((tool) => [
        [forModel(tool).name, tool],
        [tool.name, tool],
      ]),
    )
    this.#toolsWithSecrets = tools.filter(({ hasSecretsIn }) => hasSecretsIn)
  }

  /** Updates the tools and hooks to those of a new step. */
  update({ tools, otherTools, hasBeforeToolCall, hasVerify, reflect }: StepContext): void {
    this.set(tools)
    this.omitted = otherTools ?? []
    this.hasBeforeToolCall = hasBeforeToolCall
    this.hasVerify = hasVerify === true
    this.reflects = reflect?.mode ?? null
  }

  /** Reports a change of the page's tools to the callbacks of `onChange`. */
  notify(): void {
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
  }

  onChange(wake: () => void): void {
    this.#waiters.add(wake)
  }
}

/** Whether calls of the tool may run at the same time as others. */
export function isParallelSafe({ annotations, parallelSafe, sequential }: ToolDescriptor): boolean {
  return !sequential && (annotations.readOnly === true || parallelSafe)
}
