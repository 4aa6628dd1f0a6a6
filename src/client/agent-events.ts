import type { MadeTitle } from '../protocol/commands.ts'
import type { DroppedConversation } from '../protocol/retention.ts'
import { reportThrown } from './failures.ts'
import type { Run } from './run.ts'
import type { TriggerOutcome } from './triggers/options.ts'
import type { AgentNotice } from './worker-link.ts'

/** Events that an agent emits outside its runs. */
export type AgentEvent =
  | AgentNotice
  /** This page has deleted conversations that `retention` no longer keeps. */
  | {
      readonly type: 'conversations-dropped'
      readonly conversations: readonly DroppedConversation[]
    }
  /** A model has made a title: see `titles`. */
  | ({ readonly type: 'conversation-titled'; readonly conversationId: string } & MadeTitle)
  /**
   * This page got the handle of a run that was started or resumed here. Emitted once for each handle, before its first
   * event.
   */
  | { readonly type: 'run'; readonly run: Run }
  /** Tools were registered, removed, enabled or disabled: see `Agent.tools`. */
  | { readonly type: 'tools' }
  /** A trigger of this page fired: see `agent.trigger()`. */
  | ({ readonly type: 'trigger' } & TriggerOutcome)
  | { readonly type: 'status'; readonly status: 'idle' | 'running'; readonly openRuns: number }

export type AgentListener<Type extends AgentEvent['type']> = (
  event: Extract<AgentEvent, { readonly type: Type }>,
) => void

export interface AgentEvents {
  on<Type extends AgentEvent['type']>(
    type: Type,
    listener: AgentListener<Type>,
    options?: { readonly signal?: AbortSignal },
  ): () => void
  emit(event: AgentEvent): void
  clear(): void
}

export function createAgentEvents(): AgentEvents {
  const listeners = new Set<(event: AgentEvent) => void>()
  return {
    on(type, listener, { signal } = {}) {
      const entry = (event: AgentEvent): void => {
        if (event.type === type) listener(event as Parameters<typeof listener>[0])
      }
      const off = (): void => void listeners.delete(entry)
      if (!signal?.aborted) listeners.add(entry)
      signal?.addEventListener('abort', off, { once: true })
      return off
    },
    emit(event) {
      for (const listener of listeners)
        try {
          listener(event)
        } catch (thrown) {
          reportThrown(thrown)
        }
    },
    clear: () => listeners.clear(),
  }
}
