import type { PageApi } from '../../protocol/page-calls.ts'
import type { CallContext } from '../../protocol/questions.ts'
import type { DecidedBy, RunEnd } from '../../protocol/fact.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/message.ts'
import type { CallState } from '../../protocol/state.ts'
import type { Conversation } from '../conversation.ts'
import type { Effects } from '../effects.ts'
import type { Engines } from '../model/engines.ts'
import type { RunFamily } from './run-family.ts'
import type { ToolTable } from './tool-table.ts'
import { toOwnNames } from '../model/model-names.ts'
import type { ModelMemory } from '../model/model-memory.ts'
import type { Stream } from '../stream.ts'
import type { Validator } from '../validation/validator.ts'
import type { ProviderRegistry } from '../../providers/registry.ts'

/** What everyone who works on a run shares. */
export interface RunContext {
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
  readonly family: RunFamily
  readonly tools: ToolTable
  /** Whether another tab that shows the conversation has the tool. */
  isElsewhere(toolName: string): Promise<boolean>
  /** Calls that may run, as hooks and validation left them. */
  readonly ready: Map<string, ReadyCall>
  /** Tools whose author was warned that they don't say what they do. */
  readonly silent: Set<string>
  /** What requests of the run have lost since its last answer. */
  readonly losses: Loss[]
  /** Executions that this driver has asked the page for, and that have not ended. */
  readonly dispatched: Set<string>
  /** Aborted when the run, or its step, is to stop; its reason is a `Stop`. Of each step that is cut, a new one. */
  readonly signal: AbortSignal
  readonly resume: ResumeOptions | null
  /** The run that began with the end of this one. */
  nextRunId?: string | undefined
}

/** A call that was decided: what is to run, and by which tool. */
export interface ReadyCall {
  readonly toolName: string
  readonly input: JsonValue
  readonly by: DecidedBy
  /** In one-shot mode: a person should be asked. */
  readonly asks: boolean
  /** Nobody is asked, by this consent of a person. */
  readonly consentId?: string
}

/** Why a run stops: for good, or so that somebody else may go on with it, or already does. */
export type Stop =
  | { readonly type: 'end'; readonly end: RunEnd }
  /** The step under way is cut short; the run goes on. */
  | { readonly type: 'cut' }
  | { readonly type: 'release' }
  | { readonly type: 'deleted' }
  | { readonly type: 'taken-over' }

/** The run is stopped here without an end: what is under way stays open in the store. */
export function stopsWithoutEnd(signal: AbortSignal): boolean {
  return signal.aborted && leavesOpen(signal.reason as Stop)
}

export function leavesOpen({ type }: Stop): boolean {
  return type !== 'end' && type !== 'cut'
}

export interface ResumeOptions {
  readonly interrupted: 'tell-model' | 'ask'
  readonly waitForToolsMs: number
  /** Default true. */
  readonly afterCrash?: boolean
}

export function callContext(
  context: RunContext,
  call: Pick<CallState, 'toolCallId' | 'toolName'>,
  input: JsonValue,
): CallContext {
  return {
    agentId: context.agentId,
    runId: context.runId,
    conversationId: context.conversation.conversationId,
    toolCallId: call.toolCallId,
    // Conversations of earlier versions hold the model's names, which no policy of the app knows.
    ...toOwnNames({ toolName: call.toolName, input }, context.tools.get(call.toolName)),
  }
}
