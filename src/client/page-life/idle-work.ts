import type { AgentParts } from '../api/agent-parts.ts'

/** Idle time before old conversations are dropped. Milliseconds. */
const IDLE_MS = 2000

/** Lets the worker drop conversations beyond the `retention` limits, whenever the agent has been idle for a while. */
function applyRetention(agent: AgentParts): void {
  const { agentEvents, callWorker, options, scope } = agent
  const { retention } = options
  if (!retention) return
  const work = async (): Promise<void> => {
    const conversations = await callWorker('retainConversations', { ...scope(), retention })
    if (conversations.length > 0) agentEvents.emit({ type: 'conversations-dropped', conversations })
  }
  whenIdle(agent, { idleMs: IDLE_MS, work })
}

/** Hosts of pages on a developer's own machine. */
const LOCAL_HOST = /^(localhost$|127\.|\[::1)/

/**
 * Drops old conversations and generates titles while no run is open, if the agent's options ask for it. On a
 * developer's own machine, also checks the schemas of tools.
 */
export function workWhileIdle(agent: AgentParts): void {
  applyRetention(agent)
  makeTitles(agent)
  // If the check can't be loaded, the page works without its warnings.
  if (LOCAL_HOST.test(globalThis.location?.hostname))
    import('../tools/warn-of-keywords.ts')
      .then((part) => part.warnOfKeywords(agent))
      .catch(() => {})
}

interface IdleWork {
  /** Time without an open run before the work begins. Milliseconds. */
  readonly idleMs: number
  work(): Promise<void>
  /** Called when a run has begun or ended. */
  onChange?(): void
}

/** Does work whenever the agent has been idle for a while. */
export function whenIdle(
  { agentEvents, runs, signal }: AgentParts,
  { idleMs, work, onChange }: IdleWork,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const schedule = (): void => {
    clearTimeout(timer)
    onChange?.()
    // Errors are ignored: failed work is tried again when the agent is idle again.
    if (runs.openRuns.size === 0 && !signal.aborted)
      timer = setTimeout(() => void work().catch(() => {}), idleMs)
  }
  agentEvents.on('status', schedule, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  schedule()
}

/** Time without an open run before the work begins. Milliseconds. */
const TITLE_IDLE_MS = 500

/** Lets the worker title the conversations in which the agent has had runs, whenever the agent is idle. */
export function makeTitles(agent: AgentParts): void {
  const { agentEvents, callWorker, options, runs, scope, signal } = agent
  if (!options.titles) return
  const untitled = new Set<string>()
  const isIdle = (): boolean => runs.openRuns.size === 0 && !signal.aborted
  const title = async (conversationId: string): Promise<void> => {
    untitled.delete(conversationId)
    try {
      const result = await callWorker('titleConversation', { ...scope(), conversationId })
      if (result) agentEvents.emit({ type: 'conversation-titled', conversationId, ...result })
    } catch {
      // A run began meanwhile, or the worker was lost. The title is tried again after the next run.
      untitled.add(conversationId)
    }
  }
  const work = async (): Promise<void> => {
    // Iterates over a copy: a failed title puts its conversation back into the set.
    const conversationIds = Array.from(untitled)
    for (const conversationId of conversationIds) if (isIdle()) await title(conversationId)
  }
  const onChange = (): void => {
    for (const { run } of runs.openRuns.values()) untitled.add(run.conversationId)
  }
  whenIdle(agent, { idleMs: TITLE_IDLE_MS, work, onChange })
}
