import type { PageApi } from '../protocol/page-calls.ts'
import type { CallContext, StepContext } from '../protocol/questions.ts'
import type { DecidedBy, RunEnd } from '../protocol/fact.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { ToolOutput } from '../protocol/message.ts'
import type { CallState } from '../protocol/state.ts'
import type { SettledStatus, ToolDescriptor } from '../protocol/tool.ts'
import type { Conversation } from './conversation.ts'
import type { Effects } from './effects.ts'
import type { Engines } from './engines.ts'
import type { FactDraft } from './fact-draft.ts'
import { withNextStep } from './look-ahead.ts'
import type { ModelMemory } from './model-memory.ts'
import type { Stream } from './stream.ts'
import type { Validator } from './validation/validator.ts'
import type { ProviderRegistry } from '../providers/registry.ts'

/** What everyone who works on a run shares. */
export interface Drive {
  readonly agentId: string
  readonly runId: string
  readonly conversation: Conversation
  readonly stream: Stream
  readonly page: PageApi
  /** Names the page load; every execution that it was asked for begins with it. */
  readonly pageId: string
  readonly effects: Effects
  readonly validator: Validator
  readonly providers: ProviderRegistry
  readonly engines: Engines
  readonly memory: ModelMemory
  readonly tools: ToolTable
  /** Whether another tab that shows the conversation has the tool. */
  isElsewhere(toolName: string): Promise<boolean>
  /** Calls that may run, as hooks and validation left them. */
  readonly ready: Map<string, ReadyCall>
  /** Executions that this driver has asked the page for, and that have not ended. */
  readonly dispatched: Set<string>
  /** Aborted when the run is to stop; its reason is a `Stop`. */
  readonly signal: AbortSignal
  readonly resume: ResumeOptions | null
}

/** A call that was decided: what is to run, and by which tool. */
export interface ReadyCall {
  readonly toolName: string
  readonly input: JsonValue
  readonly by: DecidedBy
  /** See `mayMislead`. */
  readonly misleads: boolean
}

/** Why a run stops: for good, or so that somebody else may go on with it, or already does. */
export type Stop =
  | { readonly type: 'end'; readonly end: RunEnd }
  | { readonly type: 'release' }
  | { readonly type: 'taken-over' }

/** The run is stopped here without an end: what is under way stays open in the store. */
export function isLeftOpen(signal: AbortSignal): boolean {
  return signal.aborted && (signal.reason as Stop).type !== 'end'
}

export interface ResumeOptions {
  readonly interrupted: 'tell-model' | 'ask'
  readonly waitForToolsMs: number
  /** Default true. */
  readonly afterCrash?: boolean
}

/** The tools as the newest step saw them, or as the page named them since. */
export class ToolTable {
  #tools: ReadonlyMap<string, ToolDescriptor> | null = null
  /** The page has a `beforeToolCall`. Assumed until a step says otherwise. */
  hasBeforeToolCall = true
  /** Names of registered tools that the newest step left out. */
  others: readonly string[] = []
  readonly #waiters = new Set<() => void>()

  /** False until the page was asked: a run that goes on after a reload begins without. */
  get isLoaded(): boolean {
    return this.#tools !== null
  }

  get names(): readonly string[] {
    return [...(this.#tools?.keys() ?? [])]
  }

  get(name: string): ToolDescriptor | undefined {
    return this.#tools?.get(name)
  }

  set(tools: readonly ToolDescriptor[]): void {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
  }

  /** What the page named for a step. */
  take({ tools, otherTools, hasBeforeToolCall }: StepContext): void {
    this.set(tools)
    this.others = otherTools ?? []
    this.hasBeforeToolCall = hasBeforeToolCall
  }

  /** The page's tools changed: whoever waits looks again. */
  changed(): void {
    for (const wake of this.#waiters) wake()
    this.#waiters.clear()
  }

  onChange(wake: () => void): void {
    this.#waiters.add(wake)
  }
}

export interface Settlement {
  readonly call: CallState
  readonly status: SettledStatus
  readonly output: ToolOutput
  readonly note?: string
}

/** Commits the ends of calls in one transaction. */
export async function settle(
  { conversation }: Drive,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return
  await conversation.append(withNextStep(conversation, settlements.map(settledFact)))
}

export function settledFact({ call, status, output, note }: Settlement): FactDraft {
  const { path } = call
  return { type: 'call-settled', path, status, output, ...(note !== undefined && { note }) }
}

export function callContext(drive: Drive, call: CallState, input: JsonValue): CallContext {
  return {
    agentId: drive.agentId,
    runId: drive.runId,
    conversationId: drive.conversation.conversationId,
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    input,
  }
}
