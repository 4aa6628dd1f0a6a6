import type { AgentParts } from '../api/agent-parts.ts'

interface IdleWork {
  /** How long nothing must have been open. Milliseconds. */
  readonly after: number
  work(): Promise<void>
  /** Called when a run has begun or ended. */
  onChange?(): void
}

/** Does work whenever the agent has been idle for a while. */
export function whenIdle(
  { agentEvents, runs, signal }: AgentParts,
  { after, work, onChange }: IdleWork,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const plan = (): void => {
    clearTimeout(timer)
    onChange?.()
    // Failed work is tried again the next time.
    if (runs.open.size === 0 && !signal.aborted)
      timer = setTimeout(() => void work().catch(() => {}), after)
  }
  agentEvents.on('status', plan, { signal })
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  plan()
}
